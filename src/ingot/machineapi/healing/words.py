"""Conditions, reasons, events and annotations of healing: the only place where they are spelled."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["PAUSED", "REMEDIATION_ALLOWED", "REPLACEMENT_POSSIBLE", "SKIPPED", "Reason"]

REMEDIATION_ALLOWED: Final = "RemediationAllowed"
"""The condition of a MachineHealthCheck; upstream's name, as are the two annotations."""

REPLACEMENT_POSSIBLE: Final = "ReplacementPossible"
"""Likewise, ours: said once a Machine could not be replaced, since nothing could take its place."""

PAUSED: Final = "cluster.x-k8s.io/paused"
"""On a MachineHealthCheck or a Machine, with any value: no healing is begun."""

SKIPPED: Final = "cluster.x-k8s.io/skip-remediation"
"""On a Machine, with any value: its healing is not begun."""


class Reason(StrEnum):
    """Why a condition is as it is, or what an event tells of."""

    RESTRICTED = "RemediationRestricted"
    TOO_MANY = "TooManyUnhealthy"
    NO_SUCCESSOR = "NothingToReplaceItWith"
    BAD_SELECTOR = "InvalidSelector"
    BEGUN = "HealingBegun"
    GOES_ON = "Healing"
    HEALED = "Healed"
    NOT_HEALED = "NotHealed"
    REPLACED = "Replaced"
