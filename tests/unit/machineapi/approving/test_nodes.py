"""Certificates that a Node asks for itself: the next one as a client, and those as a server."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography import x509

from ingot.kube.kind import ObjectKey
from ingot.machineapi.approving.judging import judge
from ingot.machineapi.approving.verdict import Approve, Deny, Wait
from ingot.machineapi.approving.world import World
from tests.unit.machineapi.approving.asking import (
    ADDRESS,
    CLIENT_USAGES,
    NAME,
    csr,
    joined,
    machine,
    node,
    renewing,
    serving,
    world,
)

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


def test_who_is_no_node_gets_no_certificate_as_a_server() -> None:
    asked = serving(user="system:bootstrap:abcdef")
    assert isinstance(judge(asked, joined()), Wait)
