"""What the observer sees of keepalived, when that does what it is known to do."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem_site.handwritten import ADVERT_SECONDS, keepalived
from tests.onprem_site.faults import Faults
from tests.onprem_site.node import Node
from tests.onprem_site.observation import (
    announcements,
    between,
    blind,
    contested,
    longest,
    moves,
    spans,
    vacant,
)
from tests.onprem_site.plan import Address
from tests.onprem_site.prober import Prober, watching
from tests.onprem_site.site import Site

PRIORITIES = {"control-0": 60, "control-1": 50}
TAKES_OVER = 3 * ADVERT_SECONDS + ADVERT_SECONDS
"""The most, by the standard: three adverts and a part of one that depends on the priority."""
LATE = 1.0
"""Seconds that a machine with little time may need on top of it."""


@pytest.fixture(params=[0, 1], ids=["IPv4", "IPv6"])
def vip(site: Site, request: pytest.FixtureRequest) -> Address:
    found: Address = site.plan.all_clusters[0].api_vips[request.param]
    return found


@pytest.fixture
def prober(site: Site, vip: Address) -> Iterator[Prober]:
    with watching(site, vip) as found:
        yield found


def start(site: Site, vip: Address, *names: str) -> None:
    seats = [site[name].seat for name in PRIORITIES]
    for name in names:
        keepalived(site[name], vip, seats, priority=PRIORITIES[name])


@pytest.fixture
def held(site: Site, vip: Address, prober: Prober) -> None:
    """Both nodes run keepalived, and the first one holds the VIP."""
    start(site, vip, "control-0")
    prober.wait_for(vip, "control-0", within=10)
    start(site, vip, "control-1")
    eventually(lambda: "BACKUP STATE" in log(site["control-1"]), within=10, every=0.05)
    prober.wait_for(vip, "control-0", within=10, lasting=0.5)


def log(node: Node) -> str:
    return (node.folder / "keepalived.log").read_text()


@pytest.mark.usefixtures("held")
def test_the_one_holder_is_seen_and_so_is_its_announcement(vip: Address, prober: Prober) -> None:
    assert {node for _, node in announcements(prober.read(), str(vip))} == {"control-0"}
    assert not contested(prober.spans(vip))


@pytest.mark.usefixtures("held")
def test_a_holder_without_power_leaves_a_gap_until_the_next_one_takes_over(
    vip: Address, prober: Prober, faults: Faults
) -> None:
    begun = time.monotonic()
    faults.power_off("control-0")
    prober.wait_for(vip, "control-1", within=10)
    over_time = spans(between(prober.looks, begun - 0.3, math.inf), str(vip))
    assert [move[1:] for move in moves(over_time)] == [("control-0", "control-1")]
    assert 2 * ADVERT_SECONDS < longest(vacant(over_time)) < TAKES_OVER + LATE
    assert longest(blind(prober.looks, beyond=0.03)) < LATE


@pytest.mark.usefixtures("held")
def test_each_side_of_a_partition_has_its_holder_and_they_are_one_again_after_it(
    vip: Address, prober: Prober, faults: Faults
) -> None:
    faults.partition({"control-0"}, {"control-1"})
    prober.wait_for(vip, "control-0", "control-1", within=10, lasting=1)
    faults.heal()
    prober.wait_for(vip, "control-0", within=10, lasting=0.5)
    over_time = prober.spans(vip)
    assert longest(contested(over_time)) > 1
    assert longest(contested(over_time, faults.splits)) < ADVERT_SECONDS + LATE


@pytest.mark.usefixtures("held")
def test_a_killed_keepalived_leaves_its_address_and_so_there_are_two_holders(
    site: Site, vip: Address, prober: Prober, faults: Faults
) -> None:
    faults.kill("control-0", "keepalived")
    prober.wait_for(vip, "control-0", "control-1", within=10)
    assert contested(prober.spans(vip), faults.splits)
    start(site, vip, "control-0")
    prober.wait_for(vip, "control-0", within=15, lasting=0.5)


@pytest.mark.usefixtures("held")
def test_a_frozen_holder_comes_back_as_a_second_one_and_then_there_is_one(
    vip: Address, prober: Prober, faults: Faults
) -> None:
    faults.freeze("control-0")
    prober.wait_for(vip, "control-1", within=10)
    faults.thaw("control-0")
    prober.wait_for(vip, "control-0", within=10, lasting=0.5)
    assert longest(contested(prober.spans(vip))) < ADVERT_SECONDS + LATE
