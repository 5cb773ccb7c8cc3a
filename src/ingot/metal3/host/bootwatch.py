"""A boot that is followed: power, DHCP, boot file, kernel, agent.

Upstream waits thirty minutes for the agent and then says "timeout". Here each part has a limit of
its own. A boot that stops is named, and the server is power-cycled for it a few times before it
becomes an error: most lost boots are a dropped packet or a firmware that forgot what to boot.

What is judged is only a boot that can be seen, and only while Ironic waits for the agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ingot.ironic.states import ProvisionState
from ingot.metal3.host import counting
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.observation import BootSeen
from ingot.metal3.host.slots import boots_over_network
from ingot.metal3.host.turn import Turn

__all__ = ["Booting", "Lost", "begun_again", "cycled", "has_to_begin_again", "judge", "noticed"]

BOOT_LOST: Final = "BootLost"

_WAITS: Final = frozenset(
    {
        ProvisionState.INSPECT_WAIT,
        ProvisionState.CLEAN_WAIT,
        ProvisionState.DEPLOY_WAIT,
        ProvisionState.SERVICE_WAIT,
    }
)


@dataclass(frozen=True, slots=True)
class Booting:
    """All is well so far.

    Attributes:
        doing: what is waited for.
        seconds: until what comes next is overdue.
    """

    doing: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Lost:
    """The boot has stopped.

    Attributes:
        reason: what did not come, as one word.
        why: the same as a sentence.
        cycles: how often the server was power-cycled for it already.
    """

    reason: str
    why: str
    cycles: int


@dataclass(frozen=True, slots=True)
class _Stage:
    """Something that should come next, how soon, and what it is called when it does not."""

    expected: str
    limit: float
    reason: str
    after: str


def judge(turn: Turn) -> Booting | Lost | None:
    """Return how the boot of a ramdisk goes; None when there is none to be seen."""
    boot = turn.seen.boot
    if boot is None or turn.node_state not in _WAITS:
        return None
    lost = turn.recall(Memory.BOOT_LOST)
    begun = boot.powered_on if lost is None else max(boot.powered_on, lost.since)
    if boot.agent is not None and boot.agent >= begun:
        turn.forget(Memory.BOOT_LOST)
        return None
    since, stage = _next(turn, boot, begun)
    cycles = int(lost.number("cycles")) if lost else 0
    left = stage.limit - (turn.now - since).total_seconds()
    if left <= 0:
        why = f"no sign of {stage.expected} within {stage.limit:.0f} s after {stage.after}"
        return Lost(stage.reason, why, cycles)
    whole = _longest(turn) - (turn.now - _awaited(turn, begun)).total_seconds()
    if whole <= 0:
        why = f"it begins to boot again and again, and there is no sign of {stage.expected}"
        return Lost(stage.reason, why, cycles)
    return Booting(f"waiting for {stage.expected} after {stage.after}", min(left, whole))


def cycled(turn: Turn, lost: Lost, *, cycles: int) -> None:
    """Remember that the server is power-cycled for a lost boot, and tell it."""
    limit = turn.settings.boot.cycles
    turn.remember(
        Memory.BOOT_LOST,
        f"{lost.why}; power-cycled {cycles} of at most {limit} times",
        reason=lost.reason,
        notes={"cycles": str(cycles)},
        afresh=True,
    )
    turn.warn(BOOT_LOST, f"{lost.why}; power-cycling it ({cycles} of at most {limit} times)")
    turn.count(counting.BOOT_LOST, stage=lost.reason)


def noticed(turn: Turn, lost: Lost) -> None:
    """Name a lost boot that cannot be begun anew now."""
    if turn.recall(Memory.BOOT_LOST) is None:
        turn.count(counting.BOOT_LOST, stage=lost.reason)
    notes = {"cycles": str(lost.cycles)}
    turn.remember(Memory.BOOT_LOST, lost.why, reason=lost.reason, notes=notes)


def has_to_begin_again(turn: Turn) -> bool:
    """Return whether Ironic's failure is ours: the cleaning was aborted for a lost boot."""
    lost = turn.recall(Memory.BOOT_LOST)
    return (
        lost is not None
        and "again" not in lost.notes
        and turn.node_state is ProvisionState.CLEAN_FAILED
    )


def begun_again(turn: Turn) -> None:
    """Remember that what was aborted has been begun again; its next failure is a real one."""
    lost = turn.recall(Memory.BOOT_LOST)
    if lost is not None:
        cycles = f"{lost.number('cycles'):.0f}"
        turn.remember(
            Memory.BOOT_LOST,
            f"a boot was lost; power-cycled {cycles} of at most {turn.settings.boot.cycles} times",
            reason=lost.reason,
            notes={"cycles": cycles, "again": "yes"},
        )


def _longest(turn: Turn) -> float:
    """Return how long a boot may take with all its parts, however often it begins over.

    A server that restarts, or is turned on again by Ironic, shows the same signs anew each time.
    """
    limits = turn.settings.boot
    if not boots_over_network(turn.spec):
        return limits.without_network
    return limits.dhcp + limits.boot_file + limits.kernel + limits.agent


def _awaited(turn: Turn, begun: datetime) -> datetime:
    """Return since when Ironic waits for the agent, or since when we began that anew."""
    lost, node = turn.recall(Memory.BOOT_LOST), turn.seen.node
    since = node.since if node is not None and node.since is not None else begun
    return max(since, lost.since) if lost is not None else since


def _next(turn: Turn, boot: BootSeen, begun: datetime) -> tuple[datetime, _Stage]:
    """Return the last sign of life and what should follow it."""
    limits = turn.settings.boot
    if not boots_over_network(turn.spec):
        return begun, _Stage("the agent", limits.without_network, "NoAgent", "power on")
    signs = (
        (boot.kernel, _Stage("the agent", limits.agent, "NoAgent", "the kernel was fetched")),
        (boot.boot_file, _Stage("the kernel", limits.kernel, "NoKernel", "its boot file")),
        (boot.dhcp, _Stage("a boot file", limits.boot_file, "NoBootFile", "its DHCP request")),
    )
    for at, stage in signs:
        if at is not None and at >= begun:
            return at, stage
    return begun, _Stage("a DHCP request", limits.dhcp, "NoDHCP", "power on")
