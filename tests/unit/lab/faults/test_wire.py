"""What nftables is told about a host's cards."""

from __future__ import annotations

import re

import pytest

from ingot.lab.faults.wire import NO_WIRE_FAULTS, WireFaults, drop_rules

LOSSY = WireFaults(lost_percent=5, seed=1)


def lost(rules: str) -> list[list[int]]:
    """Return the packets of each thousand that are lost, for each direction."""
    return [
        [int(number) for number in found.split(",")]
        for found in re.findall(r"numgen inc mod 1000 \{ ([0-9, ]+) \}", rules)
    ]


def test_nothing_is_told_where_nothing_is_to_be_dropped() -> None:
    assert drop_rules("a", ["p0"], NO_WIRE_FAULTS) == ""
    assert drop_rules("a", ["p0"], WireFaults(megabits=10)) == ""


def test_both_links_of_every_card_are_meant() -> None:
    rules = drop_rules("a", ["p0", "p1"], WireFaults(dhcp_lost=True))
    assert 'iifname { "p0", "p0f", "p1", "p1f" } udp dport { 67, 547 } drop' in rules
    assert "oifname" not in rules


@pytest.mark.parametrize(("percent", "count"), [(0.1, 1), (5, 50), (33.3, 333), (99.9, 999)])
def test_as_many_packets_are_lost_in_each_direction_as_asked_for(
    percent: float, count: int
) -> None:
    sent, received = lost(drop_rules("a", ["p0"], WireFaults(lost_percent=percent)))
    assert len(set(sent)) == len(set(received)) == count
    assert 0 <= min(sent) <= max(sent) < 1000
    assert sent != received


def test_everything_is_lost_at_a_hundred_percent() -> None:
    rules = drop_rules("a", ["p0"], WireFaults(lost_percent=100))
    assert 'iifname { "p0", "p0f" } drop' in rules
    assert 'oifname { "p0", "p0f" } drop' in rules


def test_the_same_seed_loses_the_same_packets_and_another_one_others() -> None:
    assert drop_rules("a", ["p0"], LOSSY) == drop_rules("a", ["p0"], LOSSY)
    other = WireFaults(lost_percent=5, seed=2)
    assert lost(drop_rules("a", ["p0"], LOSSY)) != lost(drop_rules("a", ["p0"], other))


def test_each_host_has_a_table_of_its_own_that_is_replaced_as_a_whole() -> None:
    one, other = (drop_rules(name, ["p0"], LOSSY) for name in ("a", "b"))
    assert one.startswith("add table bridge fault-a\ndelete table bridge fault-a\n")
    assert "fault-a" not in other
