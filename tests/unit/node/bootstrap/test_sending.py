"""How much of the image each server has taken."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from ingot.node.bootstrap.looking import takes_image
from ingot.node.bootstrap.sending import (
    Cards,
    Connection,
    cards_of,
    connections_in,
    neighbours_in,
    shares,
)

INFO = "cubic wscale:7,7 rto:204 mss:1448 bytes_sent:2500 bytes_retrans:100 bytes_acked:2400 busy:1"
ADDRESS = ip_address("172.22.0.11")
MAC = "52:54:00:00:00:01"
ONE = Cards(frozenset({MAC}), frozenset({ip_address("172.22.0.99")}))
OTHER = Cards(frozenset({"52:54:00:00:00:02"}), frozenset({ADDRESS}))


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("172.22.0.11:48082", "172.22.0.11"),
        ("[::ffff:172.22.0.11]:48082", "172.22.0.11"),
        ("[fd00::11]:48082", "fd00::11"),
        ("[fe80::11%enp1s0]:48082", "fe80::11"),
    ],
)
def test_what_a_peer_has_acknowledged_is_what_it_has_taken(peer: str, address: str) -> None:
    line = f"0      2896   172.22.0.2:6180 {peer} {INFO}\n"
    assert connections_in(line) == (Connection(ip_address(address), 2400),)


def test_a_connection_that_nothing_was_sent_over_is_none() -> None:
    assert connections_in("0 0 172.22.0.2:6180 172.22.0.11:48082 cubic mss:1448\n") == ()


def test_a_kernel_that_tells_nothing_of_connections_has_none() -> None:
    assert connections_in("0 0 172.22.0.2:6180 172.22.0.11:48082\n\t\n") == ()


def test_a_neighbour_that_does_not_answer_has_no_card() -> None:
    text = (
        '[{"dst":"172.22.0.11","dev":"p","lladdr":"52:54:00:00:00:01","state":["STALE"]},'
        '{"dst":"172.22.0.12","dev":"p","state":["FAILED"]}]'
    )
    assert neighbours_in(text) == {ADDRESS: MAC}
    assert neighbours_in("") == {}


def test_a_server_is_known_by_all_its_cards() -> None:
    nics = [{"mac": "52:54:00:00:00:0A", "ip": "172.22.0.11"}, {"mac": "52:54:00:00:00:0b"}]
    host = {"spec": {"bootMACAddress": MAC}, "status": {"hardware": {"nics": nics}}}
    macs = {MAC, "52:54:00:00:00:0a", "52:54:00:00:00:0b"}
    assert cards_of(host) == Cards(frozenset(macs), frozenset({ADDRESS}))


def test_a_server_that_was_not_inspected_is_known_by_its_boot_card() -> None:
    assert cards_of({"spec": {"bootMACAddress": MAC}}).macs == {MAC}


def test_the_card_behind_an_address_counts_more_than_who_once_had_it() -> None:
    found = shares(
        {"one": ONE, "other": OTHER}, [Connection(ADDRESS, 50)], {ADDRESS: MAC}, size=100
    )
    assert found == {"one": 0.5}


def test_behind_a_router_the_address_counts() -> None:
    found = shares({"one": ONE, "other": OTHER}, [Connection(ADDRESS, 50)], {}, size=100)
    assert found == {"other": 0.5}


def test_of_several_connections_the_longest_is_the_image() -> None:
    seen = [Connection(ADDRESS, 70), Connection(ADDRESS, 3)]
    assert shares({"one": ONE}, seen, {ADDRESS: MAC}, size=100) == {"one": 0.7}


def test_no_more_is_written_than_there_is() -> None:
    """Headers and a second request on the same connection are counted too."""
    assert shares({"one": ONE}, [Connection(ADDRESS, 120)], {ADDRESS: MAC}, size=100) == {
        "one": 1.0
    }


def test_who_is_nobody_of_ours_is_passed_over() -> None:
    stranger = {ADDRESS: "52:54:00:00:00:ff"}
    assert shares({"other": OTHER}, [Connection(ADDRESS, 50)], stranger, size=100) == {}


@pytest.mark.parametrize(
    ("state", "doing", "taken"),
    [
        ("provisioning", "wait call-back", True),
        ("provisioning", "waiting for the agent after the kernel was fetched", False),
        ("provisioning", "deploying", False),
        ("inspecting", "wait call-back", False),
    ],
)
def test_a_ramdisk_is_not_taken_for_the_image(state: str, doing: str, *, taken: bool) -> None:
    conditions = [{"type": "Progressing", "message": doing}, {"type": "Ready", "message": ""}]
    host = {"status": {"provisioning": {"state": state}, "conditions": conditions}}
    assert takes_image(host) is taken
