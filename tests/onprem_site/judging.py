"""For how long two nodes on the same side of a network may hold a VIP: one advert, as a rule.

Who holds a VIP tells so ten times a second, and of two holders that hear each other one gives way.
So each contest is over one advert after it could be known of. There are three faults for which that
is later, and only for those whom they hit:

* delay: an advert arrives as late as it is held up;
* loss: so many adverts in a row may be lost, as in one case of ten thousand; in each interval the
  contest is over if the stronger one is heard, or the weaker one and the answer to it;
* pause of keepalived alone: the kernel goes on answering. Others take over 0.7 s later at the
  earliest, and the monitor takes the address away within 2 s.

A whole node that is frozen and continues is none of these: it hears the others as soon as its
kernel answers again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.onprem_site.observation import Span
from tests.onprem_site.sequence import Fault, Kind

ADVERT = 0.1
TICK = 0.01
"""How exact the prober is."""

TAKEN_AWAY, TAKEN_OVER = 2.0, 0.7
RARELY = 1e-4


@dataclass(frozen=True, slots=True)
class Contest:
    """A time in which two nodes held a VIP, and how long it might have been."""

    span: Span
    limit: float

    @property
    def is_too_long(self) -> bool:
        return self.span.seconds > self.limit

    def __str__(self) -> str:
        return f"{self.span}, allowed {self.limit:.3f} s"


def judged(contested: Iterable[Span], faults: Sequence[Fault]) -> list[Contest]:
    """Return what is to be said of each contest, by the faults as they really happened."""
    return [Contest(span, _limit(span, faults)) for span in contested]


def _limit(span: Span, faults: Sequence[Fault]) -> float:
    extra = (
        _extra(fault)
        for fault in faults
        if fault.begin < span.end and span.begin < _felt_until(fault) and _concerns(fault, span)
    )
    return ADVERT + TICK + sum(extra)


def _concerns(fault: Fault, span: Span) -> bool:
    return not fault.nodes or not span.holders.isdisjoint(fault.nodes)


def _felt_until(fault: Fault) -> float:
    if fault.kind is Kind.PAUSE:
        return fault.begin + TAKEN_AWAY
    return fault.end + (fault.value if fault.kind is Kind.DELAY else 0)


def _extra(fault: Fault) -> float:
    if fault.kind is Kind.DELAY:
        return fault.value
    if fault.kind is Kind.PAUSE:
        return TAKEN_AWAY - TAKEN_OVER
    return ADVERT * _lost_in_a_row(fault.value / 100) if fault.kind is Kind.LOSS else 0


def _lost_in_a_row(share: float) -> int:
    unheard = share * (1 - (1 - share) ** 2)
    return math.ceil(math.log(RARELY) / math.log(unheard))
