"""The hardware is looked at: by the ramdisk's agent, or out of band by the BMC."""

from __future__ import annotations

from dataclasses import replace

from ingot.ironic.states import ProvisionState
from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import rebooting
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import Inspect

__all__ = ["inspecting", "is_asked_again", "is_disabled"]


def is_disabled(turn: Turn) -> bool:
    """Return whether the host is never to be inspected."""
    return (
        turn.spec.inspection_mode is InspectionMode.DISABLED
        or turn.annotation(annotation.INSPECT) == annotation.INSPECT_DISABLED
    )


def is_asked_again(turn: Turn) -> bool:
    """Return whether somebody wants an available host inspected again."""
    return turn.annotation(annotation.INSPECT) not in (None, annotation.INSPECT_DISABLED)


def inspecting(turn: Turn) -> Outcome:
    """Inspect, and keep what was found."""
    if is_disabled(turn):
        turn.tell(EventReason.INSPECTION_SKIPPED, "the host is not to be inspected any more")
        return become(turn, ProvisioningState.PREPARING, "preparing without an inspection")
    mode = turn.spec.inspection_mode or InspectionMode.AGENT
    boots = mode is InspectionMode.AGENT
    refresh, forced = is_asked_again(turn), rebooting.forced(turn)
    goal = Inspect(
        mode=mode,
        again=turn.has_error(ErrorType.INSPECTION),
        refresh=refresh,
        forced_reboot=forced,
    )
    restart = Inspect(mode=mode, forced_reboot=True) if boots else None
    done = work(turn, goal, failing=ErrorType.INSPECTION, restart=restart, boots=boots)
    under_way = turn.node_state in (ProvisionState.INSPECTING, ProvisionState.INSPECT_WAIT)
    if done.begins and not under_way:
        turn.tell(EventReason.INSPECTION_STARTED, f"inspecting the hardware ({mode})")
    if refresh and (done.begins or under_way or done.outcome is None):
        turn.remove_annotation(annotation.INSPECT)
    if forced and turn.pursued is not None:
        turn.remove_annotation(annotation.REBOOT)
    return done.outcome if done.outcome is not None else _keep(turn)


def _keep(turn: Turn) -> Outcome:
    found = turn.seen.inventory
    if found is None:
        turn.wants_inventory = True
        return Outcome("fetching what the inspection found", turn.settings.delays.short)
    turn.status = replace(turn.status, hardware=found)
    turn.hardware_data = found
    turn.tell(EventReason.INSPECTION_COMPLETE, "the hardware has been inspected")
    return become(turn, ProvisioningState.PREPARING, "preparing the server for use")
