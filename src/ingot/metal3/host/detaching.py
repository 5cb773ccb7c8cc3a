"""Ironic forgets a server that goes on as it is, and takes it back later."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from ingot.metal3.api import annotation
from ingot.metal3.api.states import OperationalStatus, ProvisioningState
from ingot.metal3.host.failing import succeed
from ingot.metal3.host.turn import Outcome, Turn
from ingot.metal3.node.goal import Detach
from ingot.metal3.node.progress import Done, Failed

__all__ = ["Detachment", "asked", "detaching"]

_QUIET: Final = frozenset(
    {
        ProvisioningState.PROVISIONED,
        ProvisioningState.EXTERNALLY_PROVISIONED,
        ProvisioningState.AVAILABLE,
    }
)
"""Where nothing is under way that a detachment would cut off."""

_DETACHED: Final = "detached: Ironic does not know it"

_UNKNOWN_TO_IRONIC: Final = frozenset({ProvisioningState.NONE, ProvisioningState.UNMANAGED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Detachment:
    """What the annotation asks for.

    Attributes:
        force: cut off what is under way.
        holds_deletion: a deleted host stays until it is attached again.
    """

    force: bool = False
    holds_deletion: bool = False


def asked(turn: Turn) -> Detachment | None:
    """Return what is asked for; None without the annotation. What cannot be read says nothing."""
    value = turn.annotation(annotation.DETACHED)
    if value is None:
        return None
    try:
        says = json.loads(value)
    except (ValueError, RecursionError):
        says = None
    if not isinstance(says, dict):
        return Detachment()
    return Detachment(
        force=says.get("force") is True, holds_deletion=says.get("deleteAction") == "delay"
    )


def detaching(turn: Turn) -> Outcome | None:
    """Detach a host, keep it detached, or let it come back; None when it is attached."""
    wanted = asked(turn)
    if wanted is None:
        if turn.detached:
            turn.fares(OperationalStatus.OK)
        return None
    if turn.going:
        return None
    delays = turn.settings.delays
    if turn.detached:
        return Outcome(_DETACHED, delays.detached)
    if turn.state in _UNKNOWN_TO_IRONIC or (turn.state not in _QUIET and not wanted.force):
        return None
    if not turn.seen.ironic_ready:
        return Outcome("waiting for Ironic, to detach it", delays.ironic_not_ready)
    return _detach(turn, Detach(force=wanted.force))


def _detach(turn: Turn, goal: Detach) -> Outcome:
    step = turn.ask(goal)
    if isinstance(step, Done):
        succeed(turn)
        turn.fares(OperationalStatus.DETACHED)
        return Outcome(_DETACHED, turn.settings.delays.detached)
    if isinstance(step, Failed):  # no error type stands for it; see ErrorType
        return Outcome(f"it cannot be detached: {step.why}", turn.settings.delays.steady)
    return turn.follow(goal, step)
