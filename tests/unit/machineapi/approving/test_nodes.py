"""Certificates that a Node asks for itself: the next one as a client, and those as a server."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import pytest
from cryptography import x509

from ingot.kube.kind import ObjectKey
from ingot.machineapi.approving.judging import judge
from ingot.machineapi.approving.serving import Served
from ingot.machineapi.approving.verdict import Approve, Deny, Wait
from ingot.machineapi.approving.world import World
from tests.unit.machineapi.approving.asking import (
    ADDRESS,
    CLIENT_USAGES,
    NAME,
    csr,
    host,
    joined,
    machine,
    node,
    renewing,
    serving,
    world,
)

OTHER = "192.168.111.31"
UNSEEN = "192.168.111.99"


def test_a_node_renews_its_certificate_as_a_client() -> None:
    assert isinstance(judge(renewing(), joined()), Approve)


def test_a_node_gets_a_certificate_for_its_own_name_and_address() -> None:
    assert isinstance(judge(serving(), joined()), Approve)


@pytest.mark.parametrize("addresses", [["172.22.0.30"], [ADDRESS, "172.22.0.30"]])
def test_addresses_that_inspection_found_are_its_own(addresses: list[str]) -> None:
    assert isinstance(judge(serving(csr(addresses=addresses)), joined()), Approve)


@pytest.mark.parametrize("ask", [renewing, serving])
@pytest.mark.parametrize(
    "pem",
    [
        csr("system:node:cp-0", dns=["cp-0"]),
        csr("kubernetes-admin", organisations=["system:masters"]),
        csr(organisations=["system:nodes", "system:masters"]),
        b"no request",
    ],
)
def test_a_node_that_asks_for_somebody_else_is_denied(ask: Any, pem: bytes) -> None:  # noqa: ANN401 - a maker
    assert isinstance(judge(ask(pem), joined()), Deny)


@pytest.mark.parametrize("ask", [renewing, serving])
def test_who_only_calls_itself_a_node_is_denied(ask: Any) -> None:  # noqa: ANN401 - a maker
    assert isinstance(judge(ask(groups=("system:authenticated",)), joined()), Deny)


@pytest.mark.parametrize(
    "asked",
    [
        renewing(csr(dns=[NAME])),
        renewing(usages=("digital signature", "client auth", "server auth")),
        serving(csr()),
        serving(usages=CLIENT_USAGES),
        serving(usages=("digital signature", "server auth", "client auth")),
        serving(csr(dns=[NAME], more=[x509.RFC822Name("a@example.com")])),
    ],
)
def test_what_a_kubelet_never_asks_for_is_denied(asked: Any) -> None:  # noqa: ANN401 - a request
    assert isinstance(judge(asked, joined()), Deny)


@pytest.mark.parametrize("ask", [renewing, serving])
@pytest.mark.parametrize(
    ("known", "why"),
    [
        (world(machines=[machine(node=NAME)]), "no Node"),
        (world(nodes=[node()]), "no Machine"),
        (joined(machines=[machine(node=NAME, going=True)]), "being deleted"),
        (
            joined(machines=[machine(node=NAME), machine(key=ObjectKey("m", "n"), node=NAME)]),
            "no Machine",
        ),
    ],
)
def test_a_node_without_a_machine_of_its_own_waits(ask: Any, known: World, why: str) -> None:  # noqa: ANN401 - a maker
    verdict = judge(ask(), known)
    assert isinstance(verdict, Wait)
    assert why in verdict.why


def test_an_address_that_nobody_knows_waits() -> None:
    verdict = judge(serving(csr(dns=[NAME], addresses=[ADDRESS, UNSEEN])), joined())
    assert isinstance(verdict, Wait)
    assert UNSEEN in verdict.why


def test_a_name_that_is_not_its_own_waits() -> None:
    verdict = judge(serving(csr(dns=[NAME, "api.example.com"], addresses=[ADDRESS])), joined())
    assert isinstance(verdict, Wait)
    assert "api.example.com" in verdict.why


OTHERS: dict[str, World] = {
    "another Machine": joined(
        machines=[
            machine(node=NAME),
            machine(key=ObjectKey("metal3", "b"), addresses=frozenset({OTHER})),
        ]
    ),
    "another host": joined(
        hosts=[host(), host(key=ObjectKey("metal3", "b"), addresses=frozenset({OTHER}))]
    ),
    "another Node": joined(nodes=[node(), node("worker-1", addresses=[OTHER])]),
    "a VIP": joined(reserved=[OTHER]),
}


@pytest.mark.parametrize("whose", OTHERS)
def test_an_address_of_somebody_else_is_denied(whose: str) -> None:
    asked = serving(csr(dns=[NAME], addresses=[ADDRESS, OTHER]))
    assert isinstance(judge(asked, OTHERS[whose]), Deny)


@pytest.mark.parametrize("whose", OTHERS)
def test_an_address_of_somebody_else_is_denied_though_it_is_on_the_machine_network(
    whose: str,
) -> None:
    known = OTHERS[whose]
    open_to_all = replace(known.policy, networks=(ip_network("192.168.111.0/24"),))
    asked = serving(csr(dns=[NAME], addresses=[ADDRESS, OTHER]))
    assert isinstance(judge(asked, replace(known, policy=open_to_all)), Deny)


def test_an_address_of_the_machine_network_may_be_taken_where_the_site_allows_it() -> None:
    asked = serving(csr(dns=[NAME], addresses=[UNSEEN]))
    assert isinstance(judge(asked, joined(networks=["192.168.111.0/24"])), Approve)
    assert isinstance(judge(asked, joined(networks=["10.0.0.0/8"])), Wait)


def test_what_the_present_certificate_is_for_may_be_had_again() -> None:
    asked = serving(csr(dns=[NAME], addresses=[UNSEEN]))
    assert isinstance(judge(asked, joined(), served=Served(frozenset({NAME, UNSEEN}))), Approve)


def test_more_than_the_present_certificate_is_for_waits() -> None:
    asked = serving(csr(dns=[NAME], addresses=[ADDRESS, UNSEEN]))
    assert isinstance(judge(asked, joined(), served=Served(frozenset({NAME, ADDRESS}))), Wait)


def test_a_present_certificate_does_not_keep_an_address_that_moved_to_somebody_else() -> None:
    asked = serving(csr(dns=[NAME], addresses=[OTHER]))
    served = Served(frozenset({NAME, OTHER}))
    assert isinstance(judge(asked, OTHERS["another Machine"], served=served), Deny)


def test_who_is_no_node_gets_no_certificate_as_a_server() -> None:
    asked = serving(user="system:bootstrap:abcdef")
    assert isinstance(judge(asked, joined()), Wait)
