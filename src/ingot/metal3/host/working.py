"""Bringing one goal nearer, with all that every state's work has in common."""

from __future__ import annotations

from ingot.metal3.api.states import ErrorType
from ingot.metal3.host import bootwatch, slots
from ingot.metal3.host.failing import clear_error, fail
from ingot.metal3.host.turn import Beginning, Outcome, Turn
from ingot.metal3.node.goal import Goal
from ingot.metal3.node.progress import Done, Failed, Waiting

__all__ = ["Work", "work"]


class Work:
    """What came of it.

    Attributes:
        outcome: how the look ends; None when the goal is reached.
        begins: the work that the goal names is started by this look.
        failed: it failed, and that is recorded.
    """

    __slots__ = ("begins", "failed", "outcome")

    def __init__(
        self, outcome: Outcome | None, *, begins: bool = False, failed: bool = False
    ) -> None:
        self.outcome = outcome
        self.begins = begins
        self.failed = failed


def work(
    turn: Turn,
    goal: Goal,
    *,
    failing: ErrorType,
    restart: Goal | None = None,
    boots: bool = True,
) -> Work:
    """Bring a goal nearer.

    Args:
        turn: the look at the host.
        goal: what should come true.
        failing: what its failure is recorded as.
        restart: what begins the boot of its ramdisk anew, where a lost one is watched for.
        boots: it boots a ramdisk, so it may have to wait for a place.
    """
    step = turn.ask(goal)
    if isinstance(step, Done):
        slots.admitted(turn)
        return Work(None)
    if isinstance(step, Failed):
        return Work(fail(turn, failing, step.why, retryable=step.retryable), failed=True)
    if isinstance(step, Waiting):
        return _wait(turn, step, failing=failing, restart=restart)
    held = _held(turn) if boots else None
    if held is not None:
        return Work(held)
    slots.admitted(turn)
    if bootwatch.has_to_begin_again(turn):
        bootwatch.begun_again(turn)
    clear_error(turn)
    turn.pursue(goal)
    return Work(Outcome(step.doing, step.seconds), begins=step.begins)


def _held(turn: Turn) -> Outcome | None:
    return slots.no_capacity(turn, turn.state) or slots.no_boot_slot(turn)


def _wait(turn: Turn, step: Waiting, *, failing: ErrorType, restart: Goal | None) -> Work:
    verdict = bootwatch.judge(turn) if restart is not None else None
    if restart is None or not isinstance(verdict, bootwatch.Lost):
        slots.admitted(turn)
        clear_error(turn)
        if isinstance(verdict, bootwatch.Booting):
            return Work(Outcome(verdict.doing, min(step.seconds, verdict.seconds)))
        return Work(Outcome(step.doing, step.seconds))
    if turn.has_error(failing):  # a new try, which may cycle the server as often as the first
        return _cycle(turn, verdict, restart=restart, cycles=1)
    if verdict.cycles >= turn.settings.boot.cycles:
        why = f"{verdict.why}; power-cycled {verdict.cycles} times for it"
        return Work(fail(turn, failing, why), failed=True)
    return _cycle(turn, verdict, restart=restart, cycles=verdict.cycles + 1)


def _cycle(turn: Turn, lost: bootwatch.Lost, *, restart: Goal, cycles: int) -> Work:
    step = turn.ask(restart)
    if not isinstance(step, Beginning):
        # What a step does is not cut off; Ironic's own time-out ends it.
        bootwatch.noticed(turn, lost)
        clear_error(turn)
        return Work(Outcome(f"{lost.why}; waiting for Ironic to end it", turn.settings.delays.long))
    clear_error(turn)
    bootwatch.cycled(turn, lost, cycles=cycles)
    turn.pursue(restart)
    return Work(Outcome(f"{lost.why}; power-cycling it", step.seconds))
