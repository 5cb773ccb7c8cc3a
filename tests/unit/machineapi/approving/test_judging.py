"""Floods, and how long a request waits."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ingot.machineapi.approving.judging import SPARE_REQUESTS, flooded, patience
from tests.unit.machineapi.approving.asking import NOW


@pytest.mark.parametrize(
    ("pending", "told"), [(SPARE_REQUESTS + 3, False), (SPARE_REQUESTS + 4, True)]
)
def test_more_requests_than_kubelets_could_make_are_a_flood(pending: int, *, told: bool) -> None:
    assert bool(flooded([NOW] * pending, kubelets=3, now=NOW)) is told


def test_what_is_pending_for_more_than_an_hour_does_not_count() -> None:
    old = NOW - timedelta(hours=1, seconds=1)
    assert not flooded([old] * 500, kubelets=1, now=NOW)
    assert flooded([NOW] * 500, kubelets=1, now=NOW)


@pytest.mark.parametrize(("age", "seconds"), [(0, 2.0), (8, 2.0), (40, 10.0), (86400, 60.0)])
def test_a_request_that_waits_is_looked_at_less_and_less_often(age: int, seconds: float) -> None:
    assert patience(NOW - timedelta(seconds=age), NOW) == seconds
