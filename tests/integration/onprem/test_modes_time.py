"""Clocks that jump and frames that come late: a VIP stays where it is, and can still move."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import (
    ADVERT,
    LATE,
    absent,
    double,
    holder,
    moved_from,
    settled,
)
from tests.integration.onprem.monitored import Monitored, monitored
from tests.integration.onprem.starting import holders_since
from tests.onprem_site.plan import Plan, Role
from tests.onprem_site.prober import Prober, watching

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

DAY = 86_400.0
JITTER = 0.2

RECABLING = 0.3
"""For so long a node may be on no bridge, while what holds up its frames comes or goes."""


@pytest.fixture(scope="module")
def clocked(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """Three control-plane nodes, each with a clock of its own."""
    plan = Plan(bootstrap=False, control=3, workers=0, clocks=True)
    with monitored(tmp_path_factory.mktemp("clocks"), plan, coredns_program) as found:
        nodes = found.site.of("", Role.CONTROL)
        found.serve(*nodes)
        found.watch_over(*nodes)
        yield found


@pytest.fixture
def seen(clocked: Monitored) -> Iterator[Prober]:
    with watching(clocked.site, clocked.api_vip) as prober:
        eventually(lambda: settled(clocked), within=60, every=0.1)
        yield prober
        clocked.faults.undo()
        eventually(lambda: settled(clocked), within=60, every=0.1)


@pytest.mark.parametrize("seconds", [DAY, -DAY], ids=["forward", "back"])
def test_clock_jump(clocked: Monitored, seen: Prober, seconds: float) -> None:
    who, vip = holder(clocked, seen), clocked.api_vip
    other = next(node for node in clocked.site.of() if node is not who)
    begun = time.monotonic()
    for node in (who, other):
        clocked.faults.jump(node.name, seconds)
        jumped = time.monotonic() - begun
        seen.wait_for(vip, who.name, within=10, lasting=jumped + 1.5)
    assert holders_since(clocked, seen, begun) == [{who.name}]
    begun = time.monotonic()
    clocked.faults.kill(who.name, "haproxy")
    new = moved_from(clocked, seen, who, within=5)
    assert absent(clocked, seen, begun) < 0.5
    assert double(clocked, seen, begun) <= ADVERT + LATE
    if new is other:  # It tells when, by its own clock.
        told = datetime.fromisoformat(clocked.standing(new, vip)["since"])
        assert abs(told.timestamp() - time.time() - seconds) < 60


def test_jitter_of_200_ms_alone(clocked: Monitored, seen: Prober) -> None:
    who, names = holder(clocked, seen), [node.name for node in clocked.site.of()]
    begun = time.monotonic()
    clocked.faults.delay(JITTER, *names)
    time.sleep(8)
    clocked.faults.delay(0, *names)
    eventually(lambda: settled(clocked), within=30, every=0.1)
    assert frozenset().union(*holders_since(clocked, seen, begun)) == {who.name}
    assert absent(clocked, seen, begun) < RECABLING
