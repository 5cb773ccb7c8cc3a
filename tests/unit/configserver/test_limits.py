"""How often somebody may ask."""

from __future__ import annotations

import pytest

from ingot.configserver.limits import REMEMBERED, Allowance, subject


def test_a_burst_is_allowed_and_then_one_at_a_time() -> None:
    allowance = Allowance(3, 10.0)
    assert [allowance.wait("a", now=0) for _ in range(4)] == [0, 0, 0, 10]
    assert allowance.wait("a", now=9) == 1
    assert allowance.wait("a", now=10) == 0
    assert allowance.wait("a", now=10.5) == 10


def test_one_who_asks_too_often_costs_nobody_else() -> None:
    allowance = Allowance(1, 60.0)
    assert allowance.wait("a", now=0) == 0
    assert allowance.wait("a", now=0) == 60
    assert allowance.wait("b", now=0) == 0


def test_memory_is_bounded() -> None:
    allowance = Allowance(1, 60.0)
    for number in range(REMEMBERED + 10):
        allowance.wait(str(number), now=0)
    assert len(allowance._left) == REMEMBERED  # noqa: SLF001 - this is about its memory


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::1"),
        ("nobody", "nobody"),
    ],
)
def test_an_address_stands_for_who_has_it(address: str, who: str) -> None:
    assert subject(address) == who
