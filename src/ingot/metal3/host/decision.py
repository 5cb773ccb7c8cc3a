"""What follows from one look at a host.

Who carries a decision out does it in this order, and stops at the first failure to look again:

1. `finalizer` is ADD: write it, and nothing else.
2. `hardware_data`, `architecture`.
3. `status`, if `changed`; after the calls instead when `calls_first`.
4. `calls`, in their order; `data_image`, `firmware_updates`.
5. `annotations_removed`.
6. `finalizer` is REMOVE: release the Secrets, the ramdisk's image and HardwareData, then remove it.
7. `counts`, then `events`: neither is worth failing for.

The status comes before the calls so that a begun operation is on record even if we die with it.
Registering is the exception: doing it twice is harmless, believing it done is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import Generic, TypeVar

from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.hoststatus import HostStatus

__all__ = [
    "Count",
    "DataImageStep",
    "Decision",
    "Event",
    "EventType",
    "FinalizerStep",
    "FirmwareRecord",
]

CallT = TypeVar("CallT")


class EventType(StrEnum):
    """How much an event matters."""

    NORMAL = "Normal"
    WARNING = "Warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something worth telling about the host."""

    type: EventType
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One more for a counter, or a duration for a histogram.

    Attributes:
        seconds: None for a counter.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None


class FinalizerStep(Enum):
    """What happens to the host's finalizer."""

    KEEP = auto()
    ADD = auto()
    REMOVE = auto()


class DataImageStep(Enum):
    """What happens to the virtual drive before the server is turned on."""

    ATTACH = auto()
    DETACH = auto()


class FirmwareRecord(Enum):
    """What HostFirmwareComponents says was made: what spec asks for, or nothing."""

    RECORD = auto()
    CLEAR = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Generic[CallT]):
    """What follows from one look at a host.

    Attributes:
        status: the whole next status.
        changed: whether it differs from the one that is stored.
        calls: what to call, from the progress of one goal.
        calls_first: write the status after the calls.
        calls_may_fail: try the calls once and go on whatever comes of it.
        finalizer: what happens to the host's finalizer.
        annotations_removed: annotations to take from the host.
        architecture: what to write to spec.architecture; "" for nothing.
        hardware_data: what HardwareData is to say, replacing one that is there; None to leave it.
        wants_inventory: fetch what inspection found and decide again.
        requeue_after: seconds until the next look; None waits for a change.
        explanation: what the host waits for or does, in one line for people.
    """

    status: HostStatus
    changed: bool
    explanation: str
    requeue_after: float | None = None
    calls: tuple[CallT, ...] = ()
    calls_first: bool = False
    calls_may_fail: bool = False
    finalizer: FinalizerStep = FinalizerStep.KEEP
    annotations_removed: tuple[str, ...] = ()
    architecture: str = ""
    hardware_data: HardwareDetails | None = None
    wants_inventory: bool = False
    data_image: DataImageStep | None = None
    firmware_updates: FirmwareRecord | None = None
    events: tuple[Event, ...] = ()
    counts: tuple[Count, ...] = ()
