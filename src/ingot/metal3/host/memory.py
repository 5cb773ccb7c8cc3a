"""What must be remembered between two looks and has no field in upstream's status.

The status is the operator's only database and its fields are upstream's. Its conditions are open,
though: a condition of our own is there while it holds, is read by people like any other, and its
time says since when. What a program has to find again stands at the end of the message, such as
``[cycles=1]``. An annotation would do too, but everybody writes annotations and some tools copy
them to other objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from ingot.metal3.api.conditions import Condition, ConditionStatus
from ingot.metal3.api.hoststatus import HostStatus

__all__ = ["Memory", "Remembered", "for_people", "forget", "recall", "remember"]

_NOTES = re.compile(r" \[((?:[a-z]+=[\w.:-]+ ?)+)\]$")


class Memory(StrEnum):
    """Conditions of our own; in the order in which they are listed."""

    BACKING_OFF = "BackingOff"
    """Something failed, and is tried again later."""
    BOOT_LOST = "BootLost"
    """A ramdisk did not come up, and the server was power-cycled for it."""
    WAITING_FOR_IRONIC = "WaitingForIronic"
    WAITING_FOR_RAMDISK = "WaitingForRamdisk"
    WAITING_FOR_CAPACITY = "WaitingForCapacity"
    WAITING_FOR_BOOT_SLOT = "WaitingForBootSlot"
    ROOT_DISK_CHOSEN = "RootDiskChosen"
    """Several disks fit, and one was taken by rule."""
    FIRMWARE_APPLIED = "FirmwareApplied"
    """What is asked of the firmware has been started; it may not show yet."""
    REBOOTED_INSTEAD = "RebootedInstead"
    """The host should be held off and must not be turned off."""
    POWERING_OFF_BEFORE_DELETE = "PoweringOffBeforeDelete"
    DELETING = "Deleting"


@dataclass(frozen=True, slots=True)
class Remembered:
    """One memory.

    Attributes:
        reason: why, as one word.
        since: since when.
        notes: what a program finds in it.
    """

    reason: str
    since: datetime
    notes: Mapping[str, str]

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a note as a number."""
        try:
            return float(self.notes.get(name, default))
        except ValueError:
            return default


def recall(status: HostStatus, kind: Memory) -> Remembered | None:
    """Return a memory, if there is one."""
    for condition in status.conditions:
        if condition.type == kind:
            found = _NOTES.search(condition.message)
            pairs = (pair.partition("=") for pair in found[1].split()) if found else ()
            return Remembered(
                condition.reason,
                condition.last_transition_time,
                {name: value for name, _, value in pairs},
            )
    return None


def for_people(message: str) -> str:
    """Return what a person reads of a memory's message."""
    return _NOTES.sub("", message)


def remember(  # noqa: PLR0913 - what a condition consists of
    status: HostStatus,
    kind: Memory,
    message: str,
    *,
    now: datetime,
    reason: str = "",
    notes: Mapping[str, str] | None = None,
    afresh: bool = False,
) -> HostStatus:
    """Return the status with a memory in it.

    Args:
        status: the status so far.
        kind: which memory.
        message: what a person reads.
        now: since when, unless it is there already.
        reason: why, as one word; the memory's name when empty.
        notes: what a program finds again.
        afresh: it is a new occasion, and begins now.
    """
    old = next((one for one in status.conditions if one.type == kind), None)
    tail = " ".join(f"{name}={value}" for name, value in (notes or {}).items())
    new = Condition(
        type=kind.value,
        status=ConditionStatus.TRUE,
        reason=reason or kind.value,
        message=f"{message} [{tail}]" if tail else message,
        last_transition_time=now if old is None or afresh else old.last_transition_time,
    )
    others = tuple(one for one in status.conditions if one.type != kind)
    return replace(status, conditions=(*others, new))


def forget(status: HostStatus, *kinds: Memory) -> HostStatus:
    """Return the status without some memories."""
    kept = tuple(one for one in status.conditions if one.type not in kinds)
    return status if len(kept) == len(status.conditions) else replace(status, conditions=kept)
