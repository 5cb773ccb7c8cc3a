"""The phases of an install, as people see them, and how long each may take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from ingot.errors import ExitCode, IngotError

__all__ = ["LIMITS", "Phase", "limits_from"]


class Phase(StrEnum):
    """What an install is doing. They follow each other in this order.

    From `network` to `hand-over` they are the stages of `ingot-node bootstrap`, by their names.
    """

    CHECKS = "checks"
    IMAGES = "images"
    ASSETS = "assets"
    BOOTSTRAP_VM = "bootstrap-vm"
    NETWORK = "network"
    CONTROL_PLANE = "control-plane"
    MANIFESTS = "manifests"
    SERVICES = "services"
    HOSTS = "hosts"
    JOIN = "join"
    HAND_OVER = "hand-over"
    CLEAN_UP = "clean-up"
    WORKERS = "workers"
    ADD_ONS = "add-ons"


MINUTE = 60.0

LIMITS: Final[Mapping[Phase, float]] = {
    Phase.CHECKS: 5 * MINUTE,
    Phase.IMAGES: 120 * MINUTE,
    Phase.ASSETS: 2 * MINUTE,
    Phase.BOOTSTRAP_VM: 30 * MINUTE,
    Phase.NETWORK: 10 * MINUTE,
    Phase.CONTROL_PLANE: 20 * MINUTE,
    Phase.MANIFESTS: 10 * MINUTE,
    Phase.SERVICES: 15 * MINUTE,
    Phase.HOSTS: 90 * MINUTE,
    Phase.JOIN: 60 * MINUTE,
    Phase.HAND_OVER: 15 * MINUTE,
    Phase.CLEAN_UP: 10 * MINUTE,
    Phase.WORKERS: 90 * MINUTE,
    Phase.ADD_ONS: 30 * MINUTE,
}
"""In seconds. The field's own installer gives everything up to the hand-over an hour."""

_UNITS = {"s": 1.0, "m": MINUTE, "h": 60 * MINUTE}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smh])")


class LimitError(IngotError):
    """A limit that was given cannot be one."""

    exit_code = ExitCode.USAGE


def limits_from(given: Iterable[str]) -> dict[Phase, float]:
    """Return the limits with those that were given as `phase=duration`, such as `hosts=2h`.

    Raises:
        LimitError: one of them is none.
    """
    limits = dict(LIMITS)
    for text in given:
        name, _, length = text.partition("=")
        found = _DURATION.fullmatch(length)
        if name not in {phase.value for phase in Phase} or found is None:
            raise LimitError(
                f"--timeout {text!r} is not phase=duration",
                remedy=f"write for example hosts=2h; phases: {', '.join(Phase)}",
            )
        limits[Phase(name)] = float(found[1]) * _UNITS[found[2]]
    return limits
