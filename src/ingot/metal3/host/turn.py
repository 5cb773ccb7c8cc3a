"""One look at a host while it is being thought about.

A decision is pure from outside. Inside, what follows from a look is collected here step by step,
which reads better than handing a dozen values from each rule to the next. A turn lives for one
call of `decide` and is never seen by others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypedDict, Unpack

from ingot.ironic.states import ProvisionState
from ingot.metal3.api.baremetalhost import BareMetalHost, HostSpec
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.firmware import FirmwareConfig
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.hoststatus import HostStatus
from ingot.metal3.api.image import CustomDeploy, Image
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.api.states import ErrorType, OperationalStatus, ProvisioningState
from ingot.metal3.host.decision import (
    Count,
    DataImageStep,
    Event,
    EventType,
    FinalizerStep,
    FirmwareRecord,
)
from ingot.metal3.host.memory import Memory, Remembered, forget, recall, remember
from ingot.metal3.host.observation import Facts
from ingot.metal3.host.settings import Settings
from ingot.metal3.node.goal import Goal
from ingot.metal3.node.progress import Done, Failed, Waiting

__all__ = ["Beginning", "Outcome", "Step", "Turn"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a look ends.

    Attributes:
        doing: what the host does or waits for. It ends up in a condition, so it must not change
            while nothing does: no seconds that count down.
        after: seconds until the next look; None waits for a change.
    """

    doing: str
    after: float | None


@dataclass(frozen=True, slots=True)
class Beginning:
    """Calls bring a goal nearer; which ones is not the machine's business."""

    doing: str
    seconds: float
    begins: bool


Step = Done | Waiting | Failed | Beginning


class _Recorded(TypedDict, total=False):
    """Fields of ``status.provisioning``."""

    state: ProvisioningState
    id: str
    image: Image | None
    root_device_hints: RootDeviceHints | None
    boot_mode: BootMode | None
    raid: RAID | None
    firmware: FirmwareConfig | None
    custom_deploy: CustomDeploy | None


@dataclass(slots=True, kw_only=True)
class Turn:
    """What is known, and what follows from it so far.

    Attributes:
        ask: how far a goal is.
        status: the next status, as far as it is clear.
        pursued: the goal whose calls are to be made.
        inputs: a short print of all that a person may have changed.
    """

    host: BareMetalHost
    seen: Facts
    now: datetime
    settings: Settings
    ask: Callable[[Goal], Step]
    status: HostStatus
    inputs: str
    pursued: Goal | None = None
    calls_first: bool = False
    calls_may_fail: bool = False
    finalizer: FinalizerStep = FinalizerStep.KEEP
    annotations_removed: list[str] = field(default_factory=list)
    architecture: str = ""
    hardware_data: HardwareDetails | None = None
    wants_inventory: bool = False
    data_image: DataImageStep | None = None
    firmware_updates: FirmwareRecord | None = None
    events: list[Event] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)

    @property
    def meta(self) -> Metadata:
        """The host's metadata."""
        return self.host.metadata

    @property
    def spec(self) -> HostSpec:
        """What is wanted."""
        return self.host.spec

    @property
    def state(self) -> ProvisioningState:
        """Where the host stands; the old word for `available` is not heard."""
        state = self.status.provisioning.state
        return ProvisioningState.AVAILABLE if state is ProvisioningState.READY else state

    @property
    def going(self) -> bool:
        """Whether the host is being deleted."""
        return self.meta.is_going

    @property
    def detached(self) -> bool:
        """Whether Ironic has been made to forget the host."""
        return self.status.operational_status is OperationalStatus.DETACHED

    @property
    def node_state(self) -> ProvisionState:
        """The state of the host's node."""
        return self.seen.node.state if self.seen.node else ProvisionState.UNKNOWN

    @property
    def where(self) -> dict[str, str]:
        """The labels of metrics that are kept for each host."""
        return {"namespace": self.meta.namespace, "host": self.meta.name}

    def has_error(self, kind: ErrorType) -> bool:
        """Return whether this kind of work is what failed last."""
        return self.status.error_type is kind

    def annotation(self, name: str) -> str | None:
        """Return an annotation's value; None when it is not there."""
        return self.meta.annotations.get(name)

    def fares(self, how: OperationalStatus) -> None:
        """Say how the host fares."""
        if self.status.operational_status is not how:
            self.status = replace(self.status, operational_status=how)

    def record(self, **fields: Unpack[_Recorded]) -> None:
        """Change fields of ``status.provisioning``."""
        provisioning = replace(self.status.provisioning, **fields)
        if provisioning != self.status.provisioning:
            self.status = replace(self.status, provisioning=provisioning)

    def recall(self, kind: Memory) -> Remembered | None:
        """Return what was remembered."""
        return recall(self.status, kind)

    def remember(
        self,
        kind: Memory,
        message: str,
        *,
        reason: str = "",
        notes: Mapping[str, str] | None = None,
        afresh: bool = False,
    ) -> None:
        """Remember something for the next look."""
        self.status = remember(
            self.status, kind, message, now=self.now, reason=reason, notes=notes, afresh=afresh
        )

    def forget(self, *kinds: Memory) -> None:
        """Forget something."""
        self.status = forget(self.status, *kinds)

    def pursue(self, goal: Goal) -> None:
        """Have the calls made that bring a goal nearer; it has been asked about."""
        self.pursued = goal

    def follow(self, goal: Goal, step: Waiting | Beginning) -> Outcome:
        """Go on with a goal that is under way, or can be."""
        if isinstance(step, Beginning):
            self.pursue(goal)
        return Outcome(step.doing, step.seconds)

    def remove_annotation(self, name: str) -> None:
        """Take an annotation from the host."""
        if name in self.meta.annotations and name not in self.annotations_removed:
            self.annotations_removed.append(name)

    def tell(self, reason: str, message: str) -> None:
        """Report something that went as it should."""
        self.events.append(Event(type=EventType.NORMAL, reason=reason, message=message))

    def warn(self, reason: str, message: str) -> None:
        """Report something that a person may have to act on."""
        self.events.append(Event(type=EventType.WARNING, reason=reason, message=message))

    def count(self, name: str, **labels: str) -> None:
        """Count one more."""
        self.counts.append(Count(name=name, labels=labels))
