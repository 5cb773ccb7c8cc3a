"""The ends of a deletion's waits: what is given up, and what that leaves behind.

Upstream's hosts cannot be deleted while Ironic is down, and people then cut the finalizer off and
leave a node that Ironic goes on to power. Here every wait has an end, after which the deletion goes
on and an event says what it leaves behind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import counting
from ingot.metal3.host.decision import FinalizerStep
from ingot.metal3.host.memory import Memory, Remembered
from ingot.metal3.host.observation import CredentialsGood
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Outcome, Turn

__all__ = [
    "INSTALLED",
    "given_up",
    "hurried",
    "leave_installed",
    "let_go",
    "may_be_known",
    "seconds_since",
    "without_ironic",
]

LEFT_BEHIND: Final = "LeftBehind"

INSTALLED: Final = frozenset({ProvisioningState.PROVISIONING, ProvisioningState.PROVISIONED})
"""States of hosts that have to be deprovisioned."""


def without_ironic(turn: Turn) -> Outcome | None:
    """Wait a while for an Ironic that does not answer, and then go on without."""
    if turn.seen.ironic_ready:
        turn.forget(Memory.WAITING_FOR_IRONIC)
        return None
    if turn.state is ProvisioningState.DELETING and not may_be_known(turn):
        return None
    limit = turn.settings.deletion.without_ironic
    known = turn.recall(Memory.WAITING_FOR_IRONIC)
    if known is None:
        turn.count(counting.PROVISIONER_NOT_READY)
        turn.remember(Memory.WAITING_FOR_IRONIC, "Ironic does not answer")
    left = limit - seconds_since(turn, known)
    if left > 0:
        wait = min(turn.settings.delays.ironic_not_ready, left)
        return Outcome("waiting for Ironic, to delete it", wait)
    why = f"Ironic has not answered for {limit:.0f} s"
    if turn.state is ProvisioningState.DELETING:
        return _leave_node(turn, why)
    if turn.state in INSTALLED or turn.state is ProvisioningState.DEPROVISIONING:
        turn.count(counting.DELETE_WITHOUT_DEPROVISIONING)
    turn.count(counting.DELETE_WITHOUT_POWERING_OFF)
    turn.warn(LEFT_BEHIND, f"{why}: the server keeps its power and what is installed on it")
    return become(turn, ProvisioningState.DELETING, "removing the host without Ironic")


def given_up(turn: Turn) -> Outcome | None:
    """End a step of the deletion that fails too often or lasts too long."""
    match turn.state:
        case ProvisioningState.DEPROVISIONING:
            return _unreachable(turn) or _deprovisioned_too_long(turn)
        case ProvisioningState.POWERING_OFF_BEFORE_DELETE:
            why = _too_much(
                turn,
                turn.recall(Memory.POWERING_OFF_BEFORE_DELETE),
                turn.settings.deletion.powering_off,
            )
            return _unreachable(turn) or (_leave_running(turn, why) if why else None)
        case ProvisioningState.DELETING:
            why = _too_much(turn, turn.recall(Memory.DELETING), turn.settings.deletion.deleting)
            return _leave_node(turn, why) if why else None
        case _:
            return None


def hurried(turn: Turn, outcome: Outcome) -> Outcome:
    """Return how a look ends that failed: why wait, if the next one gives up?"""
    return replace(outcome, after=0.0) if _fails(turn) else outcome


def leave_installed(turn: Turn, why: str) -> Outcome:
    """Go on without deprovisioning."""
    turn.count(counting.DELETE_WITHOUT_DEPROVISIONING)
    turn.warn(LEFT_BEHIND, f"not deprovisioned, {why}: the disks keep what is installed on them")
    return become(
        turn,
        ProvisioningState.POWERING_OFF_BEFORE_DELETE,
        "turning off for the last time",
        failed=True,
    )


def let_go(turn: Turn) -> Outcome:
    """Let go of the host."""
    turn.finalizer = FinalizerStep.REMOVE
    return Outcome("removed", None)


def may_be_known(turn: Turn) -> bool:
    """Return whether Ironic may know the host."""
    return (
        turn.seen.node is not None
        or bool(turn.status.provisioning.id)
        or turn.status.operation_history.register.start is not None
    )


def seconds_since(turn: Turn, known: Remembered | None) -> float:
    """Return how long something is remembered."""
    return (turn.now - known.since).total_seconds() if known is not None else 0.0


def _fails(turn: Turn) -> bool:
    return turn.status.error_count > turn.settings.deletion.failures


def _why(turn: Turn) -> str:
    return turn.status.error_message or f"it failed {turn.status.error_count} times in a row"


def _too_much(turn: Turn, known: Remembered | None, limit: float) -> str:
    """Return why a step is given up; "" when it is not."""
    if _fails(turn):
        return _why(turn)
    return f"it lasted longer than {limit:.0f} s" if seconds_since(turn, known) > limit else ""


def _unreachable(turn: Turn) -> Outcome | None:
    """Give up a server that nothing leads to."""
    if turn.seen.node is None and not isinstance(turn.seen.credentials, CredentialsGood):
        return _leave_running(turn, "Ironic does not know it and its BMC credentials are lost")
    if turn.has_error(ErrorType.REGISTRATION) and _fails(turn):
        return _leave_running(turn, _why(turn))
    return None


def _deprovisioned_too_long(turn: Turn) -> Outcome | None:
    if _fails(turn):
        return leave_installed(turn, _why(turn))
    begun, deleted = (
        turn.status.operation_history.deprovision.start,
        turn.meta.deletion_timestamp,
    )
    since = max((moment for moment in (begun, deleted) if moment), default=turn.now)
    limit = turn.settings.deletion.deprovisioning
    if (turn.now - since).total_seconds() > limit:
        return leave_installed(turn, f"it lasted longer than {limit:.0f} s")
    return None


def _leave_running(turn: Turn, why: str) -> Outcome:
    if turn.state is ProvisioningState.DEPROVISIONING:
        turn.count(counting.DELETE_WITHOUT_DEPROVISIONING)
    turn.count(counting.DELETE_WITHOUT_POWERING_OFF)
    turn.warn(LEFT_BEHIND, f"not turned off, {why}: the server may still run")
    return become(turn, ProvisioningState.DELETING, "removing the host", failed=True)


def _leave_node(turn: Turn, why: str) -> Outcome:
    node = turn.status.provisioning.id or "of the host's name"
    turn.warn(LEFT_BEHIND, f"{why}: the node {node} may still be in Ironic")
    return let_go(turn)
