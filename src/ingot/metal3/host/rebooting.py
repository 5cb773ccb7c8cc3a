"""What annotations ask of the power: a reboot once, or to stay off until somebody lets go."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ingot.metal3.api import annotation
from ingot.metal3.host.turn import Turn

__all__ = ["Reboot", "asked", "forced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reboot:
    """What is asked for.

    Attributes:
        once: off and on again, and then the annotation is removed.
        holders: the keys of those that hold the host off.
        hard: without asking what runs on it; one that says so is enough.
        force: also while something else is under way.
    """

    once: bool = False
    holders: tuple[str, ...] = ()
    hard: bool = False
    force: bool = False

    def __bool__(self) -> bool:
        return self.once or bool(self.holders)


def asked(turn: Turn) -> Reboot:
    """Return what the annotations of a host ask for. What cannot be read counts as empty."""
    once = annotation.REBOOT in turn.meta.annotations
    holders, hard, force = [], False, False
    for name, value in turn.meta.annotations.items():
        held = name.startswith(annotation.REBOOT_WITH_KEY)
        if not held and name != annotation.REBOOT:
            continue
        if held:
            holders.append(name.removeprefix(annotation.REBOOT_WITH_KEY))
        says = _read(value)
        hard |= says.get("mode") == "hard"
        force |= not held and says.get("force") is True
    return Reboot(once=once, holders=tuple(sorted(holders)), hard=hard, force=force)


def forced(turn: Turn) -> bool:
    """Return whether a reboot is asked for although something else is under way."""
    return asked(turn).force


def _read(value: str) -> dict[str, object]:
    try:
        says = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return says if isinstance(says, dict) else {}
