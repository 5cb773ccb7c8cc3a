"""Deletion, from each state. It never waits for ever for anybody; see ``givingup.py``."""

from __future__ import annotations

from typing import Final

from ingot.metal3.api import annotation
from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import counting, detaching
from ingot.metal3.host.failing import fail, held_back
from ingot.metal3.host.givingup import (
    INSTALLED,
    given_up,
    leave_installed,
    let_go,
    may_be_known,
    seconds_since,
    without_ironic,
)
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Beginning, Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import Delete, PowerOff
from ingot.metal3.node.progress import Done, Failed

__all__ = ["deleting", "going_away", "powering_off", "staying"]

FORCE_DELETED: Final = "ForceDeleted"

_NEW: Final = frozenset(
    {ProvisioningState.NONE, ProvisioningState.UNMANAGED, ProvisioningState.REGISTERING}
)
_LEAVING: Final = frozenset(
    {ProvisioningState.POWERING_OFF_BEFORE_DELETE, ProvisioningState.DELETING}
)


def going_away(turn: Turn) -> Outcome | None:
    """Begin a deletion, or end what has lasted too long in one; None when it goes its way."""
    if not turn.going:
        return None
    if annotation.FORCE_DELETE in turn.meta.annotations:
        return _force(turn)
    return _detached(turn) or _new(turn) or without_ironic(turn) or given_up(turn) or _begin(turn)


def staying(turn: Turn) -> Outcome | None:
    """Bring a host back that is leaving by its status and not by its metadata.

    Nothing leads there. A status that was written by hand, or moved here, may say so.
    """
    if turn.going or turn.state not in _LEAVING:
        return None
    return become(turn, ProvisioningState.REGISTERING, "registering the server again")


def powering_off(turn: Turn) -> Outcome:
    """Turn the server off for the last time, whatever runs on it."""
    if turn.spec.disable_power_off:
        return become(turn, ProvisioningState.DELETING, "removing the host, which stays on")
    force = turn.has_error(ErrorType.POWER_MANAGEMENT)
    goal = PowerOff(hard=True, force=force, abort=True)
    done = work(turn, goal, failing=ErrorType.POWER_MANAGEMENT, boots=False)
    if turn.pursued is not None:
        turn.count(counting.POWER_CHANGE, **turn.where, on_off="off")
    return done.outcome or become(turn, ProvisioningState.DELETING, "removing the host")


def deleting(turn: Turn) -> Outcome:
    """Have Ironic forget the server, and let go of the host."""
    if not may_be_known(turn):
        return let_go(turn)
    early = held_back(turn)
    if early is not None:
        return early
    known = turn.recall(Memory.DELETING)
    late = seconds_since(turn, known) > turn.settings.deletion.deleting / 2
    goal = Delete(force=late)
    step = turn.ask(goal)
    if isinstance(step, Done):
        return let_go(turn)
    if isinstance(step, Failed):
        return fail(turn, ErrorType.REGISTRATION, f"Ironic does not remove its node: {step.why}")
    return turn.follow(goal, step)


def _new(turn: Turn) -> Outcome | None:
    if turn.state not in _NEW:
        return None
    return become(turn, ProvisioningState.DELETING, "removing the host")


def _begin(turn: Turn) -> Outcome | None:
    if turn.state in _LEAVING or turn.state is ProvisioningState.DEPROVISIONING:
        return None
    if turn.state not in INSTALLED:
        return become(
            turn, ProvisioningState.POWERING_OFF_BEFORE_DELETE, "turning off for the last time"
        )
    deleted = turn.meta.deletion_timestamp
    if deleted and (turn.now - deleted).total_seconds() > turn.settings.deletion.deprovisioning:
        return leave_installed(turn, "there was no capacity for it in time")
    return become(turn, ProvisioningState.DEPROVISIONING, "removing what is installed")


def _force(turn: Turn) -> Outcome:
    """Let go at once. Ironic is told on the way out, if it listens."""
    goal = Delete(force=True)
    if turn.seen.ironic_ready and isinstance(turn.ask(goal), Beginning):
        turn.pursue(goal)
        turn.calls_may_fail = True
    node = turn.status.provisioning.id
    turn.warn(
        FORCE_DELETED,
        "deleted by force: the server was neither turned off nor cleaned"
        + (f", and its node {node} may still be in Ironic" if node else ""),
    )
    return let_go(turn)


def _detached(turn: Turn) -> Outcome | None:
    """Delete a detached host as it is, by what its annotation says and not by its status."""
    wanted = detaching.asked(turn)
    if wanted is None:
        if not turn.detached or turn.state is ProvisioningState.DELETING:
            return None
        turn.count(counting.DELETE_DELAYED_FOR_DETACHED)
        detaching.detaching(turn)
        return Outcome("attaching it again before it is deleted", 0.0)
    if wanted.holds_deletion:
        turn.count(counting.DELETE_DELAYED_FOR_DETACHED)
        return Outcome(
            "its deletion waits until it is attached again", turn.settings.delays.detached
        )
    if turn.state is ProvisioningState.DELETING:
        return None
    if turn.state in INSTALLED:
        turn.count(counting.DELETE_WITHOUT_DEPROVISIONING)
    return become(turn, ProvisioningState.DELETING, "removing a detached host as it is")
