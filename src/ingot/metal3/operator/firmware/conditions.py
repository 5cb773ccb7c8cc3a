"""The two conditions that HostFirmwareSettings and HostFirmwareComponents share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ingot.metal3.api.conditions import (
    Condition,
    ConditionStatus,
    FirmwareCondition,
    FirmwareReason,
)

__all__ = ["Verdict", "complaint", "conditions", "is_judged", "is_valid"]

SHOWN: Final = 20
"""Problems that a condition names. A wrong template is often wrong in one way a hundred times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a look at a spec has shown.

    Attributes:
        changes: whether it asks for something that is not so.
        problems: why it cannot be; empty where it can.
        good: the reason where nothing is wrong.
        bad: the reason where something is.
    """

    changes: bool
    problems: Sequence[str]
    good: FirmwareReason
    bad: FirmwareReason

    @property
    def message(self) -> str:
        """All problems in one line."""
        named = "; ".join(self.problems[:SHOWN])
        more = len(self.problems) - SHOWN
        return f"{named}; and {more} more" if more > 0 else named


def conditions(
    verdict: Verdict, old: Sequence[Condition], *, generation: int, now: datetime
) -> tuple[Condition, ...]:
    """Return both conditions for a generation of the object."""
    before = {condition.type: condition for condition in old}

    def made(kind: FirmwareCondition, *, holds: bool, good: bool, message: str = "") -> Condition:
        status = ConditionStatus.TRUE if holds else ConditionStatus.FALSE
        known = before.get(kind.value)
        same = known is not None and known.status is status
        return Condition(
            type=kind.value,
            status=status,
            reason=(verdict.good if good else verdict.bad).value,
            message=message,
            last_transition_time=known.last_transition_time if known and same else now,
            observed_generation=generation,
        )

    valid = not verdict.problems
    return (
        made(FirmwareCondition.CHANGE_DETECTED, holds=verdict.changes, good=True),
        made(FirmwareCondition.VALID, holds=valid, good=valid, message=verdict.message),
    )


def is_judged(found: Sequence[Condition], generation: int) -> bool:
    """Return whether the conditions are about a generation of the object."""
    valid = _valid(found)
    return valid is not None and valid.observed_generation == generation


def is_valid(found: Sequence[Condition]) -> bool:
    """Return whether what was looked at last can be."""
    valid = _valid(found)
    return valid is not None and valid.status is ConditionStatus.TRUE


def complaint(found: Sequence[Condition]) -> str:
    """Return what is wrong with the spec; "" if nothing is known to be."""
    valid = _valid(found)
    return valid.message if valid is not None and valid.status is ConditionStatus.FALSE else ""


def _valid(found: Sequence[Condition]) -> Condition | None:
    return next((one for one in found if one.type == FirmwareCondition.VALID), None)
