"""Addresses that are not known to be a Node's own: whose they are, and whose they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_network
from typing import TypeAlias

import pytest

from ingot.kube.kind import ObjectKey
from ingot.machineapi.approving.judging import judge
from ingot.machineapi.approving.request import Request
from ingot.machineapi.approving.serving import Served
from ingot.machineapi.approving.verdict import Approve, Deny, Wait
from ingot.machineapi.approving.world import World
from tests.unit.machineapi.approving.asking import (
    ADDRESS,
    NAME,
    csr,
    host,
    joined,
    machine,
    node,
    serving,
)

OTHER = "192.168.111.31"
UNSEEN = "192.168.111.99"
NETWORK = "192.168.111.0/24"

OTHER_NAME = "worker-1"
OTHER_HOST = ObjectKey("metal3", OTHER_NAME)
OTHER_MACHINE = ObjectKey("metal3", "workers-def")


def asking(*addresses: str) -> Request:
    return serving(csr(dns=[NAME], addresses=addresses))


def open_to_all(known: World) -> World:
    """Return the same where addresses of the machine network may be taken."""
    return replace(known, policy=replace(known.policy, networks=(ip_network(NETWORK),)))


def neighbours(*, now: str = "", ready: bool = True, unused: bool = False) -> World:
    """Return a world in which inspection has found `OTHER` on another host.

    Args:
        now: the address that the other's Node has; empty where it has not become one.
        ready: whether that Node is.
        unused: whether no Machine uses the other host.
    """
    found = frozenset({OTHER})
    others = [] if unused else [machine(key=OTHER_MACHINE, host=OTHER_HOST, addresses=found)]
    if now:
        others = [replace(one, node=OTHER_NAME) for one in others]
    consumer = None if unused else OTHER_MACHINE
    return joined(
        machines=[machine(node=NAME), *others],
        hosts=[host(), host(key=OTHER_HOST, consumer=consumer, addresses=found)],
        nodes=[node(), *([node(OTHER_NAME, ready=ready, addresses=[now])] if now else [])],
    )


Change: TypeAlias = Callable[[World], World]
CHANGES: tuple[Change, ...] = (lambda known: known, open_to_all)

TAKEN: dict[str, World] = {
    "another Node": joined(nodes=[node(), node(OTHER_NAME, addresses=[OTHER])]),
    "another Node and its host": neighbours(now=OTHER),
    "a VIP": joined(reserved=[OTHER]),
}


@pytest.mark.parametrize("whose", TAKEN)
@pytest.mark.parametrize("change", CHANGES)
def test_an_address_that_somebody_else_has_is_denied(whose: str, change: Change) -> None:
    assert isinstance(judge(asking(ADDRESS, OTHER), change(TAKEN[whose])), Deny)


@pytest.mark.parametrize("whose", TAKEN)
def test_a_present_certificate_does_not_keep_an_address_that_somebody_else_has(whose: str) -> None:
    served = Served(frozenset({NAME, OTHER}))
    assert isinstance(judge(asking(OTHER), TAKEN[whose], served=served), Deny)


def test_a_vip_that_inspection_found_on_a_host_is_denied() -> None:
    assert isinstance(judge(asking(ADDRESS), joined(reserved=[ADDRESS])), Deny)


@pytest.mark.parametrize("unused", [False, True])
def test_an_address_that_was_only_found_on_another_host_is_not_denied(*, unused: bool) -> None:
    for known in (neighbours(unused=unused), open_to_all(neighbours(unused=unused))):
        verdict = judge(asking(OTHER), known)
        assert isinstance(verdict, Wait)
        assert f"{OTHER} was found on another host" in verdict.why


@pytest.mark.parametrize("unused", [False, True])
def test_an_address_whose_lease_has_moved_on_may_be_taken(*, unused: bool) -> None:
    moved = neighbours(now=UNSEEN, unused=unused)
    assert isinstance(judge(asking(OTHER), open_to_all(moved)), Approve)
    verdict = judge(asking(OTHER), moved)
    assert isinstance(verdict, Wait)
    assert "no address that is known" in verdict.why


def test_what_was_found_on_both_hosts_is_whose_node_asks() -> None:
    known = neighbours()
    found = host(addresses=frozenset({OTHER}))
    both = replace(known, hosts={**known.hosts, found.key: found})
    assert isinstance(judge(asking(OTHER), both), Approve)


@pytest.mark.parametrize("ready", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_an_address_once_found_here_is_not_approved_when_another_node_has_it(
    change: Change, *, ready: bool
) -> None:
    moved = joined(nodes=[node(), node(OTHER_NAME, ready=ready, addresses=[ADDRESS])])
    verdict = judge(asking(ADDRESS), change(moved))
    assert isinstance(verdict, Wait)
    assert f"{ADDRESS} is an address of another Node" in verdict.why


def test_a_node_that_says_to_have_the_address_of_all_gets_no_other_denied() -> None:
    known = joined(nodes=[node(), node("liar", addresses=[ADDRESS, "172.22.0.30"])])
    assert isinstance(judge(asking(ADDRESS), known), Wait)


def test_an_address_of_a_node_that_is_not_ready_waits_for_it_to_go() -> None:
    known = open_to_all(neighbours(now=OTHER, ready=False))
    served = Served(frozenset({NAME, OTHER}))
    assert isinstance(judge(asking(OTHER), known), Wait)
    assert isinstance(judge(asking(OTHER), known, served=served), Wait)
    gone = replace(known, nodes={NAME: known.nodes[NAME]})
    assert isinstance(judge(asking(OTHER), gone, served=served), Approve)


def test_an_address_of_the_machine_network_may_be_taken_where_the_site_allows_it() -> None:
    assert isinstance(judge(asking(UNSEEN), joined(networks=[NETWORK])), Approve)
    assert isinstance(judge(asking(UNSEEN), joined(networks=["10.0.0.0/8"])), Wait)


def test_what_the_present_certificate_is_for_may_be_had_again() -> None:
    served = Served(frozenset({NAME, UNSEEN}))
    assert isinstance(judge(asking(UNSEEN), joined(), served=served), Approve)


def test_what_the_present_certificate_is_for_may_be_had_though_found_on_another_host() -> None:
    served = Served(frozenset({NAME, OTHER}))
    assert isinstance(judge(asking(OTHER), neighbours(), served=served), Approve)


def test_more_than_the_present_certificate_is_for_waits() -> None:
    served = Served(frozenset({NAME, ADDRESS}))
    assert isinstance(judge(asking(ADDRESS, UNSEEN), joined(), served=served), Wait)
