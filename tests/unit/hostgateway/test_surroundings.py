"""What `ip -j` says, read."""

from __future__ import annotations

import json

import pytest

from ingot.hostgateway.problem import BadAnswerError
from ingot.hostgateway.surroundings import StandingRoute, seen_cards, seen_routes
from tests.unit.hostgateway.clusters import card, connected, standing


def test_cards_have_a_name_an_mtu_and_addresses() -> None:
    listed = [
        {"ifname": "lo", "mtu": 65536, "addr_info": [{"local": "127.0.0.1", "prefixlen": 8}]},
        {},
        {"ifname": "eth0", "mtu": 1450, "addr_info": [{"local": "192.168.111.20"}, {}]},
        {"ifname": "eth1", "mtu": 1500},
    ]
    assert seen_cards(json.dumps(listed)) == (
        card("lo", "127.0.0.1", mtu=65536),
        card("eth0", "192.168.111.20", mtu=1450),
        card("eth1"),
    )


def test_connected_networks_and_our_routes_are_told_from_all_others() -> None:
    listed = [
        {"dst": "default", "gateway": "192.168.111.1", "dev": "eth0", "protocol": "16"},
        {"dst": "default", "dev": "ppp0"},
        {"dst": "192.168.111.0/24", "dev": "eth0", "protocol": "2", "metric": 100},
        {"dst": "172.16.0.0/12", "gateway": "192.168.111.1", "dev": "eth0"},
        {"dst": "172.20.0.0/16", "via": {"family": "inet6", "host": "fe80::1"}, "dev": "eth0"},
        {"dst": "172.21.0.0/16", "nexthops": [{"gateway": "192.168.111.1", "dev": "eth0"}]},
        {"type": "blackhole", "dst": "172.22.0.0/16", "dev": "lo"},
        {
            "dst": "10.128.2.0/23",
            "gateway": "192.168.111.21",
            "dev": "eth0",
            "protocol": "73",
            "metric": 73,
        },
        {"dst": "10.128.4.0/23", "nexthops": [], "protocol": "73"},
    ]
    assert seen_routes(json.dumps(listed)) == (
        connected("192.168.111.0/24", "eth0", 100),
        standing("10.128.2.0/23", "192.168.111.21"),
        StandingRoute(standing("10.128.4.0/23", "192.168.111.21").network, None, "", 0),
    )


def test_a_family_without_routes_has_none() -> None:
    assert seen_routes("") == ()


@pytest.mark.parametrize("said", ["{", '{"a": 1}', "[1]", '[{"dst": "somewhere"}]'])
def test_an_answer_of_another_kind_is_refused(said: str) -> None:
    with pytest.raises(BadAnswerError):
        seen_routes(said)
    with pytest.raises(BadAnswerError):
        seen_cards(said)
