"""Delays after failures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.kube.backoff import RECONCILE, Backoff, ItemBackoff, Schedule


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [(1, 0.005), (2, 0.01), (3, 0.02), (11, 5.12), (18, 655.36), (19, 1000.0), (10_000, 1000.0)],
)
def test_reconcile_is_backed_off_as_controller_runtime_does(failures: int, seconds: float) -> None:
    assert RECONCILE.delay(failures) == pytest.approx(seconds)


def test_each_item_has_its_own_failures_until_they_are_forgotten() -> None:
    backoff: ItemBackoff[str] = ItemBackoff(Schedule(1, 100))
    assert [backoff.failed("a") for _ in range(3)] == [1, 2, 4]
    assert backoff.failed("b") == 1
    backoff.reset("a")
    assert backoff.failures("a") == 0
    assert backoff.failed("a") == 1


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 50))
def test_drawn_delay_lies_between_half_and_whole(drawn: float, failures: int) -> None:
    schedule = Schedule(0.5, 30)
    backoff = Backoff(schedule, draw=lambda: drawn)
    for _ in range(failures):
        delay = backoff.failed()
    assert schedule.delay(failures) / 2 <= delay <= schedule.delay(failures)


def test_server_may_ask_for_more_and_success_begins_anew() -> None:
    backoff = Backoff(Schedule(1, 8), draw=lambda: 1.0)
    assert backoff.failed(at_least=5) == 5
    assert backoff.failed(at_least=0.1) == 2
    backoff.reset()
    assert backoff.failed() == 1
