"""Faults of network cards, on the wire: both links of a card, both directions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal

import pytest

from ingot.lab.faults.wire import NO_WIRE_FAULTS, Wire, WireFaultFailed, WireFaults
from tests.integration.lab.faults.bench import (
    DHCP_PORT,
    END,
    PORT,
    Bench,
    entered,
    opened_bench,
)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

Direction = Literal["from", "to"]
BOTH_WAYS = pytest.mark.parametrize("direction", ["from", "to"])


@pytest.fixture(params=["firmware", "kernel"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with opened_bench(request.param) as opened:
        yield opened


@pytest.fixture
def wire() -> Wire:
    return Wire()


def apply(bench: Bench, wire: Wire, faults: WireFaults, host: str = "a") -> None:
    with entered(bench.namespace):
        wire.apply(host, [PORT], faults)


def send(bench: Bench, direction: Direction, content: bytes) -> None:
    if direction == "from":
        bench.send_from_host(content)
    else:
        bench.send_to_host(content)


def arrived(bench: Bench, direction: Direction) -> list[int]:
    """Return the numbers of the packets that arrive up to the last one, which is sent now."""
    send(bench, direction, END)
    contents = bench.arrived_at_lab() if direction == "from" else bench.arrived_at_host()
    return [int.from_bytes(content[:4]) for content in contents]


def send_numbered(bench: Bench, direction: Direction, count: int, size: int = 100) -> None:
    for number in range(count):
        send(bench, direction, number.to_bytes(4).ljust(size, b"."))


@BOTH_WAYS
def test_nic_lossy_loses_the_share_asked_for_and_the_same_packets_for_the_same_seed(
    bench: Bench, wire: Wire, direction: Direction
) -> None:
    seen = {}
    for run, seed in (("one", 7), ("again", 7), ("other", 8)):
        apply(bench, wire, WireFaults(lost_percent=5, seed=seed))
        send_numbered(bench, direction, 1000)
        apply(bench, wire, NO_WIRE_FAULTS)
        seen[run] = arrived(bench, direction)
    assert {len(numbers) for numbers in seen.values()} == {950}
    assert seen["one"] == seen["again"] != seen["other"]


@BOTH_WAYS
def test_nic_lossy_at_a_hundred_percent_is_a_cut_wire_until_it_is_cleared(
    bench: Bench, wire: Wire, direction: Direction
) -> None:
    apply(bench, wire, WireFaults(lost_percent=100))
    send_numbered(bench, direction, 20)
    apply(bench, wire, NO_WIRE_FAULTS)
    assert arrived(bench, direction) == []
    send_numbered(bench, direction, 20)
    assert arrived(bench, direction) == list(range(20))


@BOTH_WAYS
def test_nic_slow_carries_little_until_it_is_cleared(
    bench: Bench, wire: Wire, direction: Direction
) -> None:
    apply(bench, wire, WireFaults(megabits=0.01))
    send_numbered(bench, direction, 200, size=1000)
    apply(bench, wire, NO_WIRE_FAULTS)
    assert 1 <= len(arrived(bench, direction)) < 50
    send_numbered(bench, direction, 200, size=1000)
    assert arrived(bench, direction) == list(range(200))


@BOTH_WAYS
def test_nic_slow_keeps_packets_waiting_and_does_not_lose_them(
    bench: Bench, wire: Wire, direction: Direction
) -> None:
    apply(bench, wire, WireFaults(megabits=0.2))
    # More than goes through at once, and less than the queue holds.
    send_numbered(bench, direction, 20, size=1000)
    assert arrived(bench, direction) == list(range(20))


def test_no_dhcp_drops_what_is_for_a_dhcp_server_and_nothing_else(bench: Bench, wire: Wire) -> None:
    apply(bench, wire, WireFaults(dhcp_lost=True))
    bench.send_from_host(b"lost", DHCP_PORT)
    send_numbered(bench, "from", 5)
    assert arrived(bench, "from") == list(range(5))
    apply(bench, wire, NO_WIRE_FAULTS)
    bench.send_from_host(b"heard", DHCP_PORT)
    assert bench.dhcp.recv(100) == b"heard"


def test_all_faults_of_a_card_can_be_there_at_once(bench: Bench, wire: Wire) -> None:
    apply(bench, wire, WireFaults(dhcp_lost=True, lost_percent=10, megabits=100))
    bench.send_from_host(b"lost", DHCP_PORT)
    send_numbered(bench, "from", 1000, size=10)
    apply(bench, wire, WireFaults(megabits=100))
    assert len(arrived(bench, "from")) == 900
    bench.send_from_host(b"heard", DHCP_PORT)
    assert bench.dhcp.recv(100) == b"heard"


ALL = WireFaults(dhcp_lost=True, lost_percent=10, seed=1, megabits=10)


def test_clearing_leaves_nothing_also_by_another_daemon(bench: Bench, wire: Wire) -> None:
    before = bench.state()
    apply(bench, wire, ALL)
    assert bench.state() != before
    apply(bench, wire, NO_WIRE_FAULTS)
    assert bench.state() == before
    apply(bench, wire, ALL)
    apply(bench, Wire(), NO_WIRE_FAULTS)
    assert bench.state() == before


def test_the_same_faults_again_change_nothing(bench: Bench, wire: Wire) -> None:
    apply(bench, wire, ALL)
    rules, queues, filters, links = bench.state()
    apply(bench, wire, ALL)
    assert bench.state() == (rules, queues, bench.state()[2], links)
    assert bench.state()[2].count("mirred") == filters.count("mirred") == 1


def test_a_link_that_is_new_is_found_when_faults_are_applied_again(
    bench: Bench, wire: Wire
) -> None:
    with entered(bench.namespace):
        wire.apply("a", ["other"], WireFaults(megabits=0.01))  # Its links do not exist yet.
    apply(bench, wire, WireFaults(megabits=0.01))
    assert "tbf" in bench.state()[1]


def test_faults_of_one_host_are_not_those_of_another(bench: Bench, wire: Wire) -> None:
    with entered(bench.namespace):
        wire.apply("b", ["other"], WireFaults(lost_percent=100, dhcp_lost=True))
    apply(bench, wire, WireFaults(lost_percent=100))
    apply(bench, wire, NO_WIRE_FAULTS)
    assert "fault-b" in bench.state()[0]
    send_numbered(bench, "from", 10)
    assert arrived(bench, "from") == list(range(10))


def test_what_the_kernel_refuses_is_told_with_what_it_needs(bench: Bench, wire: Wire) -> None:
    with pytest.raises(WireFaultFailed, match="nf_tables") as failed:
        apply(bench, wire, WireFaults(dhcp_lost=True), host="not a name")
    assert "modules" in failed.value.remedy
