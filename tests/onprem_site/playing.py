"""A sequence of faults, made to happen."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.onprem_site.faults import Faults
from tests.onprem_site.sequence import Fault, Kind, Trouble


def play(
    trouble: Trouble, faults: Faults, *, program: str, revive: Callable[[str, Kind], None]
) -> None:
    """Let faults begin and end, each at its time or as soon after it as can be.

    Args:
        trouble: the faults.
        faults: of the site where they happen.
        program: which one is killed and paused.
        revive: told of a node whose program was killed, or that has its power again, at the end
            of that fault; does nothing where the node sees to it itself.
    """
    begun = time.monotonic()
    for at, is_begin, fault in trouble.moments:
        time.sleep(max(begun + at - time.monotonic(), 0))
        gone = fault.kind in (Kind.KILL, Kind.PAUSE) and not faults.site[fault.nodes[0]].pids(
            program
        )
        if is_begin and gone:
            continue  # What is tested may have ended it by itself.
        if is_begin:
            _begin(fault, faults, program)
        else:
            _end(fault, faults, program)
            if fault.kind in (Kind.KILL, Kind.POWER):
                revive(fault.nodes[0], fault.kind)


def _begin(fault: Fault, faults: Faults, program: str) -> None:
    node, value = fault.nodes[0] if fault.nodes else "", fault.value
    beginnings: dict[Kind, Callable[[], None]] = {
        Kind.KILL: lambda: faults.kill(node, program),
        Kind.PAUSE: lambda: faults.pause(node, program),
        Kind.FREEZE: lambda: faults.freeze(node),
        Kind.POWER: lambda: faults.power_off(node),
        Kind.CUT: lambda: faults.cut(node),
        Kind.PARTITION: lambda: faults.partition(*_sides(fault, faults)),
        Kind.LOSS: lambda: faults.lose(value),
        Kind.DELAY: lambda: faults.delay(value, node),
        Kind.STARVE: lambda: faults.starve(node, value),
        Kind.CLOCK: lambda: faults.jump(node, value),
    }
    beginnings[fault.kind]()


def _end(fault: Fault, faults: Faults, program: str) -> None:
    node = fault.nodes[0] if fault.nodes else ""
    ends: dict[Kind, Callable[[], None]] = {
        Kind.PAUSE: lambda: faults.resume(node, program),
        Kind.FREEZE: lambda: faults.thaw(node),
        Kind.POWER: lambda: faults.power_on(node),
        Kind.CUT: lambda: faults.mend(node),
        Kind.PARTITION: faults.heal,
        Kind.LOSS: lambda: faults.lose(0),
        Kind.DELAY: lambda: faults.delay(0, node),
        Kind.STARVE: lambda: faults.feed(node),
        Kind.CLOCK: lambda: faults.jump(node, 0),
    }
    if fault.kind in ends:
        ends[fault.kind]()


def _sides(fault: Fault, faults: Faults) -> tuple[frozenset[str], frozenset[str]]:
    here = frozenset(fault.nodes)
    everybody = {node.name for node in faults.site.nodes.values() if node.seat.cluster}
    return here, frozenset(everybody) - here
