"""haproxy's slots: what they hold, and what to tell haproxy so that they hold what is wanted.

A backend that goes is drained first: no new connection reaches it, and those that are open live on.
Its slot is free when the last of them has ended. Backends that stay are not touched at all.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ingot.onprem.haproxy import Service
from ingot.onprem.model import Address
from ingot.onprem.problem import BadAnswerError

__all__ = ["Slot", "SlotState", "commands", "read_slots", "ready_count"]

PASSED = "L7OK"
"""What haproxy says of a check that was answered as expected. Before the first one it takes every
server for up, which is a hope and not an observation."""


class SlotState(StrEnum):
    """What a slot is used for."""

    SERVING = "serving"
    DRAINING = "draining"
    FREE = "free"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One server of a backend.

    Attributes:
        name: the server's.
        address: where it is; of no meaning where the slot is free.
        state: what it is used for.
        ready: it is up, and has answered a check.
        sessions: connections that are open.
    """

    name: str
    address: str
    state: SlotState
    ready: bool
    sessions: int


def read_slots(statistics: str, backend: str) -> tuple[Slot, ...]:
    """Return the slots of a backend, from haproxy's `show stat`.

    Raises:
        BadAnswerError: this is not what haproxy says.
    """
    rows = csv.DictReader(statistics.removeprefix("# ").splitlines())
    try:
        slots = tuple(
            _slot(row)
            for row in rows
            if row["pxname"] == backend and row["svname"] not in {"FRONTEND", "BACKEND"}
        )
    except (KeyError, ValueError, AttributeError) as error:
        raise BadAnswerError("haproxy", statistics) from error
    if not slots:
        raise BadAnswerError("haproxy", statistics)
    return slots


def _slot(row: dict[str, str]) -> Slot:
    status = row["status"]
    state = SlotState.SERVING
    if status.startswith("MAINT"):
        state = SlotState.FREE
    elif status.startswith("DRAIN"):
        state = SlotState.DRAINING
    return Slot(
        name=row["svname"],
        address=row["addr"].rpartition(":")[0].strip("[]"),
        state=state,
        ready=status.startswith("UP") and row["check_status"].removeprefix("* ") == PASSED,
        sessions=int(row["scur"] or 0),
    )


def ready_count(slots: Iterable[Slot]) -> int:
    """Return how many servers haproxy has itself found ready."""
    return sum(slot.ready for slot in slots)


def commands(service: Service, slots: Iterable[Slot], wanted: Iterable[Address]) -> tuple[str, ...]:
    """Return what to tell haproxy, in order; nothing where all is as wanted.

    To be called again until it returns nothing: a drained slot is freed when it is empty.
    """
    left = dict.fromkeys(map(str, wanted))
    said: list[str] = []
    free: list[Slot] = []
    going: list[Slot] = []
    for slot in slots:
        at = f"{service.name}/{slot.name}"
        if slot.state is SlotState.FREE:
            free.append(slot)
        elif slot.address in left:
            del left[slot.address]
            if slot.state is SlotState.DRAINING:
                said.append(f"set server {at} state ready")
        elif slot.sessions == 0:
            said.append(f"set server {at} state maint")
            free.append(slot)
        else:
            going.append(slot)
            if slot.state is SlotState.SERVING:
                said.append(f"set server {at} state drain")
    # Rather an old connection ends than a new API server waits.
    spare = [*free, *sorted(going, key=lambda slot: slot.sessions)]
    for address, slot in zip(left, spare, strict=False):
        at = f"{service.name}/{slot.name}"
        said += [
            f"set server {at} state maint",
            f"set server {at} addr {address} port {service.server_port}",
            f"set server {at} state ready",
        ]
    return tuple(said)
