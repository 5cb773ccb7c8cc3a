"""Sequences of faults by chance, the same for the same seed; told in lines, and read from them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

SHORTEST, LONGEST = 0.3, 3.0
"""How long a fault is there, in seconds."""
PAUSE = 1.5
"""The longest time from one fault's beginning to the next one's."""


class Kind(Enum):
    """What goes wrong."""

    KILL = "kill"
    PAUSE = "pause"
    FREEZE = "freeze"
    POWER = "power"
    CUT = "cut"
    PARTITION = "partition"
    LOSS = "loss"
    DELAY = "delay"
    STARVE = "starve"
    CLOCK = "clock"


OF_ALL = frozenset({Kind.PARTITION, Kind.LOSS})
"""Of these there is one at a time: they are the network's, not a node's."""
OF_PROCESSES = frozenset({Kind.KILL, Kind.PAUSE, Kind.FREEZE, Kind.POWER, Kind.STARVE})
"""Of these a node has one at a time: to resume what is dead would mean nothing."""

VALUES: dict[Kind, Sequence[float]] = {
    Kind.LOSS: (5, 20, 40),
    Kind.DELAY: (0.05, 0.2),
    Kind.STARVE: (0.05, 0.2),
    Kind.CLOCK: (-3600, -5, 5, 3600),
}
"""Percent lost, longest delay in seconds, share of a processor, seconds of difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that goes wrong for a time.

    Attributes:
        begin: seconds from the sequence's beginning.
        end: when it is right again.
        kind: what it is.
        nodes: whom it hits; the nodes of one side, for a partition. Nobody, for the network's.
        value: how much of it.
    """

    begin: float
    end: float
    kind: Kind
    nodes: tuple[str, ...] = ()
    value: float = 0

    def __str__(self) -> str:
        who = ",".join(self.nodes) or "-"
        return f"{self.begin:.2f} {self.end:.2f} {self.kind.value} {who} {self.value:g}"

    @classmethod
    def read(cls, line: str) -> Fault:
        """Return what a line tells."""
        begin, end, kind, who, value = line.split()
        nodes = () if who == "-" else tuple(who.split(","))
        return cls(
            begin=float(begin), end=float(end), kind=Kind(kind), nodes=nodes, value=float(value)
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """A sequence of faults.

    Attributes:
        seed: what it came from.
        faults: in the order of their beginnings.
    """

    seed: int
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return "\n".join((f"seed {self.seed}", *map(str, self.faults)))

    @classmethod
    def read(cls, text: str) -> Trouble:
        """Return what lines tell, as they were printed."""
        first, *lines = text.strip().splitlines()
        return cls(int(first.removeprefix("seed ")), tuple(map(Fault.read, lines)))

    @property
    def seconds(self) -> float:
        """When the last fault is over."""
        return max((fault.end for fault in self.faults), default=0.0)

    @property
    def moments(self) -> list[tuple[float, bool, Fault]]:
        """When something happens, whether it is a beginning, and of what; in order."""
        found = [(fault.begin, True, fault) for fault in self.faults]
        found += [(fault.end, False, fault) for fault in self.faults]
        return sorted(found, key=lambda moment: moment[0])


def trouble(
    seed: int, nodes: Sequence[str], *, seconds: float, kinds: Sequence[Kind] = tuple(Kind)
) -> Trouble:
    """Return the sequence of a seed.

    Args:
        seed: decides everything.
        nodes: whom faults may hit.
        seconds: in which all faults begin; the last ones are over some seconds later.
        kinds: which faults there may be.
    """
    chance = random.Random(seed)  # noqa: S311 - it has to be the same each time
    found: list[Fault] = []
    for begin in _beginnings(chance, seconds):
        fault = _fault(chance, begin, nodes, kinds)
        if not any(_excludes(before, fault) for before in found):
            found.append(fault)
    return Trouble(seed, tuple(found))


def _beginnings(chance: random.Random, seconds: float) -> Iterator[float]:
    at = 0.0
    while (at := round(at + chance.uniform(0.1, PAUSE), 2)) < seconds:
        yield at


def _fault(
    chance: random.Random, begin: float, nodes: Sequence[str], kinds: Sequence[Kind]
) -> Fault:
    kind = chance.choice(list(kinds))
    hit: tuple[str, ...] = (chance.choice(list(nodes)),)
    if kind is Kind.PARTITION:
        hit = tuple(sorted(chance.sample(list(nodes), chance.randint(1, len(nodes) - 1))))
    elif kind in OF_ALL:
        hit = ()
    return Fault(
        begin=begin,
        end=round(begin + chance.uniform(SHORTEST, LONGEST), 2),
        kind=kind,
        nodes=hit,
        value=chance.choice(VALUES.get(kind, (0,))),
    )


def _excludes(before: Fault, fault: Fault) -> bool:
    if fault.begin > before.end:
        return False
    if fault.kind in OF_ALL or before.kind in OF_ALL:
        return fault.kind is before.kind
    if before.nodes != fault.nodes:
        return False
    both = {before.kind, fault.kind}
    return len(both) == 1 or both <= OF_PROCESSES or both == {Kind.CUT, Kind.POWER}
