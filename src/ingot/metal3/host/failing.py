"""Recorded failures: what is said of them, how long to wait, and when to try again at once."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from datetime import timedelta

from ingot.metal3.api.events import ERROR_EVENTS
from ingot.metal3.api.states import ErrorType, OperationalStatus
from ingot.metal3.host import counting
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.turn import Outcome, Turn

__all__ = ["backoff", "clear_error", "fail", "heed_inputs", "held_back", "stand", "succeed"]

LONGEST = 9
"""Doublings after which the wait grows no more: between 4 and 8½ hours."""


def backoff(count: int, uid: str) -> float:
    """Return the seconds to wait after a number of failures in a row.

    2^count minutes, times a factor above ½ and up to 1 that tells hosts apart which failed
    together. The factor comes from the host and the count and not from chance, so that a decision
    is the same whoever makes it. No wait is shorter than the one before: half of twice as much.
    """
    doublings = min(max(count, 1), LONGEST)
    digest = hashlib.sha256(f"{uid} {doublings}".encode()).digest()
    spread = (int.from_bytes(digest[:4]) + 1) / 2**32
    return 2.0**doublings * 60 * (0.5 + spread / 2)


def fail(
    turn: Turn, kind: ErrorType, why: str, *, retryable: bool = True, after: float | None = None
) -> Outcome:
    """Record a failure, and wait before the next try.

    Args:
        turn: the look at the host.
        kind: what kind of work failed.
        why: what a person should know.
        retryable: a new try may succeed though nothing changes.
        after: how long to wait, where it does not grow with the failures.
    """
    count = turn.status.error_count + 1
    why = why or "no reason was given"
    wait = backoff(count, turn.meta.uid) if after is None else after
    if not retryable:
        wait = max(wait, turn.settings.delays.hopeless)
    wait = float(math.ceil(wait))  # times in a status have whole seconds
    turn.status = replace(
        turn.status,
        error_type=kind,
        error_message=why,
        error_count=count,
        operational_status=OperationalStatus.ERROR,
    )
    at = (turn.now + timedelta(seconds=wait)).strftime("%Y-%m-%dT%H:%M:%SZ")
    times = "once" if count == 1 else f"{count} times in a row"
    turn.remember(
        Memory.BACKING_OFF,
        f"failed {times}; next try at {at}, or as soon as an input changes",
        reason=ERROR_EVENTS[kind],
        notes={"inputs": turn.inputs, "after": f"{wait:.0f}"},
        afresh=True,
    )
    turn.warn(ERROR_EVENTS[kind], why)
    turn.count(counting.HOST_ERROR, error_type=ERROR_EVENTS[kind])
    return Outcome(f"{kind}: {why}; next try at {at}", wait)


def stand(turn: Turn, kind: ErrorType, why: str, *, every: float) -> Outcome:
    """Record a failure that is there as long as it is seen, and look again at an even pace."""
    if turn.has_error(kind) and turn.status.error_message == why:
        return Outcome(f"{kind}: {why}", every)
    return fail(turn, kind, why, after=every)


def heed_inputs(turn: Turn) -> None:
    """Try at once, and count from the beginning, when an input has changed since the failure."""
    held = turn.recall(Memory.BACKING_OFF)
    if held is not None and held.notes.get("inputs") != turn.inputs:
        turn.forget(Memory.BACKING_OFF)
        turn.status = replace(turn.status, error_count=0)


def held_back(turn: Turn) -> Outcome | None:
    """Return that it is too early to try again, unless it is not."""
    if turn.status.error_type is None:
        return None
    held = turn.recall(Memory.BACKING_OFF)
    # Without: an input has changed, or it is a status of upstream's operator.
    if held is None:
        return None
    due = held.since + timedelta(seconds=held.number("after"))
    if turn.now >= due:
        return None
    at = due.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Outcome(
        f"{turn.status.error_type}: {turn.status.error_message}; next try at {at}",
        (due - turn.now).total_seconds(),
    )


def clear_error(turn: Turn) -> None:
    """Take the error back: what failed is under way again. How often it failed stays known."""
    if turn.status.error_type is not None or turn.status.error_message:
        turn.status = replace(turn.status, error_type=None, error_message="")
    turn.forget(Memory.BACKING_OFF)
    if turn.status.operational_status is OperationalStatus.ERROR:
        turn.fares(OperationalStatus.OK)


def succeed(turn: Turn) -> None:
    """Take the error back and its count too: what failed has succeeded."""
    clear_error(turn)
    if turn.status.error_count:
        turn.status = replace(turn.status, error_count=0)
