"""Requests for certificates on a real API server, which writes down who has asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_network

import pytest

from ingot.kube.joiners import group_of
from ingot.kube.kind import Content, ObjectKey
from ingot.machineapi.approving.judging import SPARE_REQUESTS
from ingot.machineapi.approving.request import CLIENT_SIGNER, REQUESTS, SERVING_SIGNER
from ingot.machineapi.approving.room import ApprovingRoom, PresentCertificates
from ingot.machineapi.approving.serving import Served
from ingot.machineapi.approving.world import Policy
from ingot.machineapi.kinds import NODE
from ingot.machineapi.parts import Parts
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.asking import asked
from tests.integration.machineapi.clinic import Clinic, clinic
from tests.unit.machineapi.approving.asking import csr

ADDRESS = "198.51.100.10"
"""Nodes are everybody's, and tests of other files leave some with the usual address."""
UNSEEN = "198.51.100.77"
FEW = 40
"""More than there are Machines and Nodes, whatever other tests have left."""


@pytest.fixture(autouse=True, scope="module")
def _kubelets_may_ask(machine_kube: KubeApi) -> None:
    """Let kubelets, and those who join, ask for certificates, as kubeadm does."""
    group = "rbac.authorization.k8s.io"
    binding = {
        "metadata": {"name": "kubelets-may-ask"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "system:node-bootstrapper"},
        "subjects": [
            {"apiGroup": group, "kind": "Group", "name": name}
            for name in ("system:bootstrappers", "system:nodes")
        ],
    }
    machine_kube.request("POST", f"/apis/{group}/v1/clusterrolebindings", binding)


@dataclass(frozen=True)
class Wider:
    """Kubelets whose present certificates are for one more address."""

    more: str

    async def served(self, node: str, addresses: frozenset[str]) -> Served | None:
        return Served(frozenset({node, self.more, *addresses}))


@dataclass(frozen=True)
class Office:
    """Where requests are made and answered."""

    at: Clinic
    api: KubeApi
    parts: Parts

    async def moves(self, node: str, address: str) -> None:
        """Give a Node another address, and wait until whoever approves has seen it."""
        await self.at.node(node, ready="True", boot="second", address=address)

        def seen() -> frozenset[str]:
            found = self.parts.nodes.store.get(ObjectKey("", node))
            return found.model.internal_addresses if found else frozenset()

        async with asyncio.timeout(40):
            while seen() != {address}:  # noqa: ASYNC110 - a look is no event
                await asyncio.sleep(0.05)

    async def joins(self, host: str, pem: bytes) -> str:
        """Ask as who has the token of a host."""
        groups = ["system:bootstrappers", group_of(host)]
        return await self._ask("system:bootstrap:abcdef", groups, pem, CLIENT_SIGNER)

    async def serves(self, node: str, pem: bytes) -> str:
        """Ask as a Node."""
        return await self._ask(f"system:node:{node}", ["system:nodes"], pem, SERVING_SIGNER)

    async def answer(self, name: str, kind: str) -> Content:
        """Wait for an answer of a kind, and return it."""
        found = await self.at.becomes(REQUESTS, name, lambda one: bool(_conditions(one)))
        (condition,) = _conditions(found)
        assert condition["type"] == kind, condition
        return condition

    async def told(self, name: str) -> str:
        """Wait for the event of a request, and return what it says."""
        async with asyncio.timeout(40):
            while True:
                page = await self.at.events("default")
                for reason, message, about in page:
                    if about == name:
                        return f"{reason}: {message}"
                await asyncio.sleep(0.05)

    async def _ask(self, user: str, groups: Sequence[str], pem: bytes, signer: str) -> str:
        return await asyncio.to_thread(partial(asked, signer=signer), self.api, user, groups, pem)


def _conditions(found: Content) -> list[Content]:
    listed: list[Content] = found.get("status", {}).get("conditions", [])
    return listed


@asynccontextmanager
async def office(
    api: KubeApi, *, present: PresentCertificates | None = None, policy: Policy | None = None
) -> AsyncIterator[Office]:
    room = partial(ApprovingRoom, present=present, policy=policy)
    async with clinic(api) as at, at.running(room) as parts:
        yield Office(at, api, parts)


@awaited()
async def test_a_server_that_joins_is_approved(machine_kube: KubeApi) -> None:
    async with office(machine_kube) as desk:
        await desk.at.machine("joins", joined=False)
        name = await desk.joins("joins", csr("system:node:joins"))
        condition = await desk.answer(name, "Approved")
        assert f"{desk.at.namespace}/joins" in condition["message"]


@awaited()
async def test_a_server_that_asks_before_its_host_is_known_is_approved_later(
    machine_kube: KubeApi,
) -> None:
    async with office(machine_kube) as desk:
        name = await desk.joins("early", csr("system:node:early"))
        assert "CertificateWaiting: there is no BareMetalHost early" in await desk.told(name)
        assert not _conditions(await desk.at.get(REQUESTS, name))
        await desk.at.machine("early", joined=False)
        await desk.answer(name, "Approved")


@awaited()
async def test_the_token_of_one_host_is_no_use_for_another(machine_kube: KubeApi) -> None:
    async with office(machine_kube) as desk:
        await desk.at.machine("honest", joined=False)
        name = await desk.joins("honest", csr("system:node:victim"))
        condition = await desk.answer(name, "Denied")
        assert "system:node:victim" in condition["message"]
        assert "CertificateDenied" in await desk.told(name)


@awaited()
async def test_a_node_gets_a_certificate_for_its_own_addresses_only(machine_kube: KubeApi) -> None:
    async with office(machine_kube) as desk:
        await desk.at.machine("serves", address=ADDRESS)
        await desk.at.machine("other", address="198.51.100.11")
        own = csr("system:node:serves", dns=["serves"], addresses=[ADDRESS])
        await desk.answer(await desk.serves("serves", own), "Approved")
        wide = csr("system:node:serves", dns=["serves"], addresses=[ADDRESS, "198.51.100.11"])
        await desk.answer(await desk.serves("serves", wide), "Denied")
        await _forget_nodes(desk, "serves", "other")


@awaited()
async def test_an_address_goes_with_its_lease_from_one_node_to_another(
    machine_kube: KubeApi,
) -> None:
    network = Policy(networks=(ip_network("192.0.2.0/24"),))
    async with office(machine_kube, policy=network) as desk:
        await desk.at.machine("before", address="192.0.2.20")
        await desk.at.machine("after", address="192.0.2.21")
        await desk.moves("before", "192.0.2.22")
        await desk.moves("after", "192.0.2.20")
        leased = csr("system:node:after", dns=["after"], addresses=["192.0.2.20"])
        await desk.answer(await desk.serves("after", leased), "Approved")
        stale = csr("system:node:before", dns=["before"], addresses=["192.0.2.20"])
        name = await desk.serves("before", stale)
        assert "192.0.2.20 is an address of another Node" in await desk.told(name)
        assert not _conditions(await desk.at.get(REQUESTS, name))
        await _forget_nodes(desk, "before", "after")


@awaited()
async def test_a_node_renews_a_certificate_for_an_address_that_nobody_else_knows_of(
    machine_kube: KubeApi,
) -> None:
    async with office(machine_kube, present=Wider(UNSEEN)) as desk:
        await desk.at.machine("renews", address=ADDRESS)
        asked = csr("system:node:renews", dns=["renews"], addresses=[ADDRESS, UNSEEN])
        await desk.answer(await desk.serves("renews", asked), "Approved")
        await _forget_nodes(desk, "renews")


@awaited()
async def test_requests_of_other_signers_are_left_alone(machine_kube: KubeApi) -> None:
    async with office(machine_kube) as desk:
        await desk.at.machine("busy", joined=False)
        other = await asyncio.to_thread(
            partial(asked, signer="example.com/other"),
            machine_kube,
            "system:bootstrap:abcdef",
            ["system:bootstrappers", group_of("busy")],
            csr("system:node:busy"),
        )
        await desk.answer(await desk.joins("busy", csr("system:node:busy")), "Approved")
        assert not _conditions(await desk.at.get(REQUESTS, other))


async def _forget_nodes(desk: Office, *names: str) -> None:
    """Nodes are everybody's: the next test has addresses of its own."""
    for name in names:
        await desk.at.client.delete(NODE, ObjectKey("", name))


@awaited()
async def test_nothing_is_approved_in_a_flood_and_all_is_when_it_is_over(
    machine_kube: KubeApi,
) -> None:
    async with office(machine_kube) as desk:
        await desk.at.machine("dry", joined=False)
        pem = csr("system:node:flood")
        flood = [await desk.joins("flood", pem) for _ in range(SPARE_REQUESTS + FEW)]
        name = await desk.joins("dry", csr("system:node:dry"))
        assert "requests are pending" in await desk.told(name)
        assert not _conditions(await desk.at.get(REQUESTS, name))
        for one in flood:
            await desk.at.client.delete(REQUESTS, ObjectKey("", one))
        await desk.answer(name, "Approved")
