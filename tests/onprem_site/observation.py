"""What was seen of a VIP from outside, and what follows from it. Nothing here looks by itself.

A look tells who held a VIP at one moment. Between two looks with the same answer it is taken to
have been the same; a look is 10 ms from the next, and that is how exact every time here is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Nodes = frozenset[str]
NOBODY: Nodes = frozenset()


@dataclass(frozen=True, slots=True)
class Look:
    """One look at all VIPs.

    Attributes:
        at: when, in seconds of the monotonic clock.
        answered: the nodes that said they have it, by VIP; no entry for nobody.
        announced: the nodes that said so without being asked.
    """

    at: float
    answered: Mapping[str, Nodes]
    announced: Mapping[str, Nodes]


@dataclass(frozen=True, slots=True)
class Span:
    """A time in which the same nodes held a VIP.

    Attributes:
        begin: the first look that showed it.
        end: the first look that did not, or the last one there is.
        holders: the nodes; more than one is what should not be.
    """

    begin: float
    end: float
    holders: Nodes

    @property
    def seconds(self) -> float:
        return self.end - self.begin

    def __str__(self) -> str:
        who = ", ".join(sorted(self.holders)) or "nobody"
        return f"{self.begin:.3f} to {self.end:.3f} ({self.seconds:.3f} s): {who}"


@dataclass(frozen=True, slots=True)
class Split:
    """From a moment on, nodes hear only those on their own side.

    Attributes:
        at: the moment.
        sides: the groups of nodes; those in none are on all sides. None at all means healed.
    """

    at: float
    sides: tuple[Nodes, ...] = ()


def spans(looks: Sequence[Look], vip: str) -> list[Span]:
    """Return who held a VIP over time; each span begins where the one before ends."""
    found: list[Span] = []
    begin = looks[0].at if looks else 0.0
    for before, look in pairwise(looks):
        if _holders(before, vip) != _holders(look, vip):
            found.append(Span(begin, look.at, _holders(before, vip)))
            begin = look.at
    if looks:
        found.append(Span(begin, looks[-1].at, _holders(looks[-1], vip)))
    return found


def contested(over_time: Iterable[Span], splits: Sequence[Split] = ()) -> list[Span]:
    """Return the times in which two nodes held a VIP that should have heard each other.

    Args:
        over_time: the spans of a VIP.
        splits: how the network was split meanwhile, in order; two holders on different sides
            cannot know of each other.
    """
    several = [span for span in over_time if len(span.holders) > 1]
    parts = [part for span in several for part in _cut(span, splits)]
    return _joined(Span(p.begin, p.end, p.holders) for p, sides in parts if _rivals(p, sides))


def vacant(over_time: Iterable[Span]) -> list[Span]:
    """Return the times in which nobody held a VIP."""
    return [span for span in over_time if not span.holders]


def moves(over_time: Iterable[Span]) -> list[tuple[float, str, str]]:
    """Return when a VIP came to another node, from which one; only from one to one."""
    alone = [(span.begin, next(iter(span.holders))) for span in over_time if len(span.holders) == 1]
    return [(at, old, new) for (_, old), (at, new) in pairwise(alone) if old != new]


def announcements(looks: Iterable[Look], vip: str) -> list[tuple[float, str]]:
    """Return when which node told of its own accord that it has a VIP."""
    return [(look.at, node) for look in looks for node in sorted(look.announced.get(vip, NOBODY))]


def longest(found: Iterable[Span]) -> float:
    """Return the seconds of the longest span; 0 where there is none."""
    return max((span.seconds for span in found), default=0.0)


def blind(looks: Sequence[Look], *, beyond: float) -> list[Span]:
    """Return the times in which the observer itself did not look, so that nothing is known."""
    return [
        Span(before.at, look.at, NOBODY)
        for before, look in pairwise(looks)
        if look.at - before.at > beyond
    ]


def between(looks: Iterable[Look], begin: float, end: float) -> list[Look]:
    """Return the looks of a time."""
    return [look for look in looks if begin <= look.at <= end]


def _holders(look: Look, vip: str) -> Nodes:
    return look.answered.get(vip, NOBODY)


def _cut(span: Span, splits: Sequence[Split]) -> Iterator[tuple[Span, tuple[Nodes, ...]]]:
    """Yield the parts of a span in which the network was the same."""
    begin, sides = span.begin, tuple[Nodes, ...]()
    for split in splits:
        if split.at >= span.end:
            break
        if split.at > begin:
            yield Span(begin, split.at, span.holders), sides
            begin = split.at
        sides = split.sides
    yield Span(begin, span.end, span.holders), sides


def _rivals(span: Span, sides: tuple[Nodes, ...]) -> bool:
    everywhere = span.holders - frozenset().union(*sides)
    return any(len(span.holders & side | everywhere) > 1 for side in sides or (NOBODY,))


def _joined(found: Iterable[Span]) -> list[Span]:
    """Return spans with those made one that follow each other, whoever the holders were."""
    joined: list[Span] = []
    for span in found:
        if joined and joined[-1].end == span.begin:
            before = joined.pop()
            joined.append(Span(before.begin, span.end, before.holders | span.holders))
        else:
            joined.append(span)
    return joined
