"""How often all nodes are listed."""

from __future__ import annotations

import pytest

from ingot.metal3.operator.census import Pace


@pytest.mark.parametrize(("took", "waits"), [(0.01, 1), (0.5, 6), (1, 12)])
def test_slow_ironic_is_asked_less_often(took: float, waits: float) -> None:
    assert Pace().least(took) == waits


def test_one_listing_that_got_stuck_does_not_leave_hosts_unseen_for_minutes() -> None:
    assert Pace().least(28) == Pace().rest
