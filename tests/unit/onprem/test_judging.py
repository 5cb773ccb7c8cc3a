from __future__ import annotations

import math

import pytest

from tests.onprem_site.judging import judged
from tests.onprem_site.observation import Span
from tests.onprem_site.sequence import Fault, Kind

CONTEST = Span(10.0, 10.3, frozenset({"a", "b"}))


def fault(kind: Kind, begin: float, end: float, *nodes: str, value: float = 0) -> Fault:
    return Fault(begin=begin, end=end, kind=kind, nodes=nodes, value=value)


@pytest.mark.parametrize(
    ("faults", "limit"),
    [
        pytest.param([], 0.11, id="one advert and a look"),
        pytest.param([fault(Kind.FREEZE, 8, 10, "a")], 0.11, id="a frozen node"),
        pytest.param([fault(Kind.STARVE, 8, 20, "a", value=0.05)], 0.11, id="a starved one"),
        pytest.param([fault(Kind.DELAY, 8, math.inf, "a", value=0.2)], 0.31, id="delay"),
        pytest.param([fault(Kind.DELAY, 8, 9.9, "a", value=0.2)], 0.31, id="delay, underway"),
        pytest.param([fault(Kind.DELAY, 8, 9.7, "a", value=0.2)], 0.11, id="delay, over"),
        pytest.param([fault(Kind.DELAY, 8, 12, "c", value=0.2)], 0.11, id="delay elsewhere"),
        pytest.param(
            [fault(Kind.DELAY, 8, 12, who, value=0.2) for who in "ab"], 0.51, id="delay of both"
        ),
        pytest.param([fault(Kind.LOSS, 8, 12, value=5)], 0.31, id="little loss"),
        pytest.param([fault(Kind.LOSS, 8, 12, value=20)], 0.51, id="loss"),
        pytest.param([fault(Kind.LOSS, 8, 12, value=40)], 0.81, id="much loss"),
        pytest.param([fault(Kind.LOSS, 8, 9.9, value=40)], 0.11, id="loss, over"),
        pytest.param([fault(Kind.PAUSE, 9, 9.5, "b")], 1.41, id="a paused keepalived"),
        pytest.param([fault(Kind.PAUSE, 7, 12, "b")], 0.11, id="paused for too long"),
        pytest.param([fault(Kind.PAUSE, 9, 12, "c")], 0.11, id="another's that is paused"),
    ],
)
def test_two_may_hold_a_vip_for_one_advert_and_for_what_hinders_them(
    faults: list[Fault], limit: float
) -> None:
    (found,) = judged([CONTEST], faults)
    assert found.limit == pytest.approx(limit)
    assert found.is_too_long is (limit < CONTEST.seconds)
