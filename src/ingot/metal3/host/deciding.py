"""One look at a host, in order: the first rule that has something to say ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final, Generic, TypeVar

from ingot.metal3.api import annotation, finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.states import ProvisioningState
from ingot.metal3.host import counting
from ingot.metal3.host.available import available
from ingot.metal3.host.conditions import POWER_FAILURE, set_conditions
from ingot.metal3.host.credentials import not_usable
from ingot.metal3.host.decision import Decision, FinalizerStep
from ingot.metal3.host.deprovisioning import deprovisioning
from ingot.metal3.host.detaching import detaching
from ingot.metal3.host.failing import heed_inputs, held_back
from ingot.metal3.host.givingup import hurried
from ingot.metal3.host.inputs import fingerprint, wish
from ingot.metal3.host.inspecting import inspecting
from ingot.metal3.host.leaving import deleting, going_away, powering_off, staying
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.observation import CredentialsGood, Observation
from ingot.metal3.host.preparing import preparing
from ingot.metal3.host.provisioned import externally_provisioned, provisioned
from ingot.metal3.host.provisioning import provisioning
from ingot.metal3.host.registering import (
    arriving,
    not_registered,
    ramdisk_not_ready,
    registering,
    unmanaged,
)
from ingot.metal3.host.restoring import restoring, take_hardware
from ingot.metal3.host.settings import Settings
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Beginning, Outcome, Step, Turn
from ingot.metal3.node.goal import Goal
from ingot.metal3.node.progress import Act, Progress

__all__ = ["decide"]

CallT = TypeVar("CallT")

_UNKNOWN_TO_IRONIC: Final = frozenset({ProvisioningState.NONE, ProvisioningState.UNMANAGED})
_WITHOUT_RAMDISK: Final = frozenset(
    {
        ProvisioningState.PROVISIONED,
        ProvisioningState.EXTERNALLY_PROVISIONED,
        ProvisioningState.POWERING_OFF_BEFORE_DELETE,
    }
)


def decide(
    host: BareMetalHost, seen: Observation[CallT], *, now: datetime, settings: Settings
) -> Decision[CallT]:
    """Return what follows for a host from what was seen of it.

    Args:
        host: as it is stored.
        seen: its world.
        now: the time, with a time zone.
        settings: how patient to be.
    """
    asking = _Asking(seen.progress_of)
    turn = Turn(
        host=host,
        seen=seen,
        now=now.replace(microsecond=0),
        settings=settings,
        ask=asking,
        status=host.status,
        inputs=fingerprint(host, seen),
    )
    turn.count(counting.RECONCILE, **turn.where)
    if annotation.PAUSED in host.metadata.annotations:
        return _decision(turn, Outcome("paused", None), asking)
    outcome = restoring(turn) or _not_held(turn)
    if outcome is None:
        outcome = _look(turn)
        if turn.going and host.status.error_count < turn.status.error_count:
            outcome = hurried(turn, outcome)
        set_conditions(turn, outcome.doing)
    return _decision(turn, outcome, asking)


def _not_held(turn: Turn) -> Outcome | None:
    """Hold on to the host before anything is done for it, and leave it alone once let go."""
    if finalizer.HOST in turn.meta.finalizers:
        return None
    if turn.going:
        return Outcome("deleted as far as we are concerned", None)
    turn.finalizer = FinalizerStep.ADD
    return Outcome("taking charge of the host", 0.0)


def _look(turn: Turn) -> Outcome:
    take_hardware(turn)
    _note_node(turn)
    heed_inputs(turn)
    return going_away(turn) or detaching(turn) or _managed(turn)


def _note_node(turn: Turn) -> None:
    """Keep what the node shows by itself."""
    node = turn.seen.node
    if node is not None:
        turn.record(id=node.id)
        if node.powered_on is not None and node.powered_on != turn.status.powered_on:
            turn.status = replace(turn.status, powered_on=node.powered_on)
    if turn.seen.firmware.ready and not wish(turn.seen.firmware):
        turn.forget(Memory.FIRMWARE_APPLIED)


def _managed(turn: Turn) -> Outcome:
    if turn.state in _UNKNOWN_TO_IRONIC:
        return _HANDLERS[turn.state](turn)
    if not turn.going:
        unusable = not_usable(turn)
        if unusable is not None:
            return unusable
        if not turn.seen.ironic_ready:
            turn.count(counting.PROVISIONER_NOT_READY)
            return Outcome("waiting for Ironic", turn.settings.delays.ironic_not_ready)
    if turn.going and turn.state is ProvisioningState.DELETING:
        return deleting(turn)
    return staying(turn) or held_back(turn) or _back_end(turn) or _HANDLERS[turn.state](turn)


def _back_end(turn: Turn) -> Outcome | None:
    """Return what keeps Ironic from working for the host, if anything does."""
    if turn.state not in _WITHOUT_RAMDISK:
        waits = ramdisk_not_ready(turn)
        if waits is not None:
            return waits
    if isinstance(turn.seen.credentials, CredentialsGood):
        registers = not_registered(turn)
        if registers is not None:
            return registers
    node = turn.seen.node
    if node is not None and node.fault == POWER_FAILURE and not turn.going:
        return Outcome("waiting until its BMC answers again", turn.settings.delays.long)
    return None


def _match_profile(turn: Turn) -> Outcome:
    """Leave a state that only old releases know."""
    return become(turn, ProvisioningState.PREPARING, "preparing the server for use")


_HANDLERS: Final[dict[ProvisioningState, Callable[[Turn], Outcome]]] = {
    ProvisioningState.NONE: arriving,
    ProvisioningState.UNMANAGED: unmanaged,
    ProvisioningState.REGISTERING: registering,
    ProvisioningState.INSPECTING: inspecting,
    ProvisioningState.MATCH_PROFILE: _match_profile,
    ProvisioningState.PREPARING: preparing,
    ProvisioningState.AVAILABLE: available,
    ProvisioningState.PROVISIONING: provisioning,
    ProvisioningState.PROVISIONED: provisioned,
    ProvisioningState.EXTERNALLY_PROVISIONED: externally_provisioned,
    ProvisioningState.DEPROVISIONING: deprovisioning,
    ProvisioningState.POWERING_OFF_BEFORE_DELETE: powering_off,
    ProvisioningState.DELETING: deleting,
}


class _Asking(Generic[CallT]):
    """Asks how far goals are, and keeps their calls from the rules, which have no use for them."""

    def __init__(self, progress_of: Callable[[Goal], Progress[CallT]]) -> None:
        self._progress_of = progress_of
        self._acts: list[tuple[Goal, Act[CallT]]] = []

    def __call__(self, goal: Goal) -> Step:
        progress = self._progress_of(goal)
        if not isinstance(progress, Act):
            return progress
        self._acts.append((goal, progress))
        return Beginning(progress.doing, progress.seconds, progress.begins)

    def calls(self, goal: Goal | None) -> tuple[CallT, ...]:
        """Return the calls for a goal that was asked about."""
        for asked, act in reversed(self._acts):
            if asked is goal:
                return act.calls
        return ()


def _decision(turn: Turn, outcome: Outcome, asking: _Asking[CallT]) -> Decision[CallT]:
    changed = turn.status != turn.host.status
    return Decision(
        status=replace(turn.status, last_updated=turn.now) if changed else turn.status,
        changed=changed,
        explanation=outcome.doing,
        requeue_after=outcome.after,
        calls=asking.calls(turn.pursued),
        calls_first=turn.calls_first,
        calls_may_fail=turn.calls_may_fail,
        finalizer=turn.finalizer,
        annotations_removed=tuple(turn.annotations_removed),
        architecture=turn.architecture,
        hardware_data=turn.hardware_data,
        wants_inventory=turn.wants_inventory,
        data_image=turn.data_image,
        firmware_updates=turn.firmware_updates,
        events=tuple(turn.events),
        counts=tuple(turn.counts),
    )
