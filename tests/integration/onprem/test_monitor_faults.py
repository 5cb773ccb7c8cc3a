"""Three nodes with monitors in a bad network: one holder on each side, and one after all."""

from __future__ import annotations

import os
import time

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
from tests.integration.onprem.monitored import Monitored
from tests.onprem_site.prober import Prober

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


def test_a_holder_whose_cable_is_pulled_is_followed_within_a_second(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    begun = time.monotonic()
    trio.faults.cut(old.name)
    moved_from(trio, seen, old, within=5)
    trio.faults.mend(old.name)
    eventually(lambda: settled(trio), within=30, every=0.1)
    assert absent(trio, seen, begun) < 1.0
    assert double(trio, seen, begun) <= ADVERT + LATE
    assert "its network card is down" in trio.log(old)


def test_a_healed_partition_has_one_holder_even_where_neighbours_were_forgotten(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    others = {node.name for node in trio.site.of()} - {old.name}
    begun = time.monotonic()
    trio.faults.partition({old.name}, others)
    eventually(lambda: len(seen.holders(trio.api_vip)) == 2, within=5, every=0.01)
    for node in trio.site.of():
        node.run("ip", "neighbour", "flush", "all")  # as after a minute
    time.sleep(2.5)  # until all of them are given up
    trio.faults.heal()
    eventually(lambda: settled(trio), within=30, every=0.1)
    assert double(trio, seen, begun) <= ADVERT + LATE


def test_a_vip_stays_where_it_is_while_a_fifth_of_all_packets_is_lost(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    begun = time.monotonic()
    trio.faults.lose(20)
    time.sleep(8)
    trio.faults.lose(0)
    eventually(lambda: settled(trio), within=30, every=0.1)
    assert double(trio, seen, begun) <= ADVERT + LATE
    seen.wait_for(trio.api_vip, old.name, within=5)


def test_a_starved_holder_keeps_its_vip_or_gives_it_up_but_does_not_share_it(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    begun = time.monotonic()
    trio.faults.starve(old.name, 0.1)
    time.sleep(6)
    trio.faults.feed(old.name)
    eventually(lambda: settled(trio), within=30, every=0.1)
    assert double(trio, seen, begun) <= ADVERT + LATE


def test_all_nodes_starting_at_once_end_with_one_holder(trio: Monitored, seen: Prober) -> None:
    nodes = trio.site.of()
    for node in nodes:
        trio.monitors.pop(node.name).kill()
    eventually(lambda: not seen.holders(trio.api_vip), within=10, every=0.05)
    begun = time.monotonic()
    trio.watch_over(*nodes)
    eventually(lambda: settled(trio), within=60, every=0.1)
    assert double(trio, seen, begun) <= ADVERT + LATE
