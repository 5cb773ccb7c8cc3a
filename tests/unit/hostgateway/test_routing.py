"""Which routes a node needs, and how those that stand become them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.hostgateway.model import ClusterNode
from ingot.hostgateway.routing import Routing, Unrouted, changes, plan_routes
from ingot.hostgateway.surroundings import Connected, StandingRoute, Surroundings
from ingot.hostgateway.writing import batches
from tests.unit.hostgateway.clusters import (
    CARDS,
    CLUSTER,
    CONNECTED,
    HERE,
    TO_B,
    TO_C,
    VIP,
    A,
    B,
    C,
    card,
    connected,
    node,
    route,
    standing,
)


def planned(*nodes: ClusterNode, here: Surroundings = HERE, own: ClusterNode = A) -> Routing:
    return plan_routes(nodes, own, here=here, cluster=CLUSTER, vip=VIP)


def test_every_other_node_is_reached_by_its_own_address_in_each_family() -> None:
    assert planned(A, B, C) == Routing(frozenset({*TO_B, *TO_C}), ())


def test_no_route_leads_to_this_nodes_own_pods() -> None:
    assert planned(A).routes == frozenset()


def test_a_node_without_pod_networks_needs_no_route_and_is_no_problem() -> None:
    assert planned(A, node("new", "", "192.168.111.30")) == Routing(frozenset(), ())


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (node("x", "10.128.8.0/23"), "10.128.8.0/23: the node has no internal IPv4 address"),
        (
            node("x", "fd01:0:0:9::/64", "192.168.111.9"),
            "fd01:0:0:9::/64: the node has no internal IPv6 address",
        ),
        (
            node("x", "10.128.8.0/23", "172.20.0.9"),
            "10.128.8.0/23: its address 172.20.0.9 is on no network of this node",
        ),
        (
            node("x", "10.128.8.0/23", "192.168.111.20"),
            "10.128.8.0/23: its address 192.168.111.20 is one of this node",
        ),
        (
            node("x", "192.168.111.0/24", "192.168.111.9"),
            "192.168.111.0/24: is not within the cluster networks",
        ),
        (node("x", "0.0.0.0/0", "192.168.111.9"), "0.0.0.0/0: is not within the cluster networks"),
        (
            node("x", "10.128.1.0/24", "192.168.111.9"),
            "10.128.1.0/24: overlaps with that of a, this node",
        ),
        (
            replace(node("x", "", "192.168.111.9"), unreadable=("10.128.8.1/23",)),
            "'10.128.8.1/23' is neither a network nor an address",
        ),
    ],
)
def test_what_cannot_be_routed_for_certain_is_named_and_keeps_nobody_else_out(
    other: ClusterNode, why: str
) -> None:
    assert planned(A, B, other) == Routing(frozenset(TO_B), (Unrouted("x", why),))


def test_of_two_nodes_with_one_network_the_one_whose_route_stands_keeps_it() -> None:
    first = node("b", "10.128.2.0/23", "192.168.111.21")
    second = node("c", "10.128.2.0/23", "192.168.111.22")
    here = Surroundings(CARDS, CONNECTED, (standing("10.128.2.0/23", "192.168.111.22"),))
    assert planned(first, second) == Routing(
        frozenset({route("10.128.2.0/23", "192.168.111.21")}),
        (Unrouted("c", "10.128.2.0/23: belongs to b too"),),
    )
    assert planned(first, second, here=here) == Routing(
        frozenset({route("10.128.2.0/23", "192.168.111.22")}),
        (Unrouted("b", "10.128.2.0/23: belongs to c too"),),
    )


def test_the_vip_is_nobodys_address_unless_a_node_has_no_other() -> None:
    holder = node("b", "10.128.2.0/23", f"{VIP} 192.168.111.21")
    only = node("b", "10.128.2.0/23", f"{VIP}")
    assert planned(holder).routes == {route("10.128.2.0/23", "192.168.111.21")}
    assert planned(only).routes == {route("10.128.2.0/23", str(VIP))}


@pytest.mark.parametrize(
    ("ways", "link"),
    [
        ([connected("192.168.0.0/16", "eth0"), connected("192.168.111.0/24", "eth1")], "eth1"),
        ([connected("192.168.111.0/24", "eth1"), connected("192.168.111.0/24", "eth0")], "eth0"),
        (
            [connected("192.168.111.0/24", "eth1", 200), connected("192.168.111.0/24", "eth2", 9)],
            "eth2",
        ),
        ([connected("192.168.111.0/24", "cni0"), connected("192.168.0.0/16", "eth1")], "eth1"),
    ],
    ids=["the narrowest network", "the card of our own address", "the metric", "never the bridge"],
)
def test_of_several_cards_one_is_chosen(ways: list[Connected], link: str) -> None:
    here = Surroundings((*CARDS, card("eth1"), card("eth2")), tuple(ways))
    other = node("b", "10.128.2.0/23", "192.168.111.21")
    assert planned(other, here=here).routes == {route("10.128.2.0/23", "192.168.111.21", link)}


def test_what_stands_is_left_alone() -> None:
    stands = [StandingRoute.of(one) for one in (*TO_B, *TO_C)]
    assert batches(changes(planned(A, B, C), stands)) == {}


def test_a_missing_route_is_put_and_one_to_nobody_is_removed() -> None:
    stands = [StandingRoute.of(TO_B[0]), standing("10.128.8.0/23", "192.168.111.23")]
    assert batches(changes(planned(A, B), stands)) == {
        4: "route delete 10.128.8.0/23 proto 73 metric 73\n",
        6: "route replace fd01:0:0:2::/64 via fd2e::21 dev eth0 proto 73 metric 73\n",
    }


def test_a_node_that_has_moved_is_followed_without_a_gap() -> None:
    stands = [standing("10.128.2.0/23", "192.168.111.99")]
    moved = node("b", "10.128.2.0/23", "192.168.111.21")
    assert batches(changes(planned(moved), stands)) == {
        4: "route replace 10.128.2.0/23 via 192.168.111.21 dev eth0 proto 73 metric 73\n"
    }


def test_a_route_of_ours_with_another_metric_goes() -> None:
    stands = [StandingRoute.of(TO_B[0]), standing("10.128.2.0/23", "192.168.111.21", metric=5)]
    other = node("b", "10.128.2.0/23", "192.168.111.21")
    assert batches(changes(planned(other), stands)) == {
        4: "route delete 10.128.2.0/23 proto 73 metric 5\n"
    }
