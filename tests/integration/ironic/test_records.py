"""Ports, pages, hardware and what is not there, in a real Ironic."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from ingot.assets.networkdata import network_data
from ingot.ironic.bmc import Subscription
from ingot.ironic.client import Ironic
from ingot.ironic.document import Json
from ingot.ironic.node import NodeId
from ingot.ironic.nodes import NodeFilter
from ingot.ironic.refusal import AlreadyExistsError, NotFoundError, RefusedError
from ingot.ironic.states import ProvisionState
from tests.integration.ironic.driven import created
from tests.integration.ironic.service import Service
from tests.unit.assets.clusters import BONDED, Tree, cluster

NOBODY = NodeId("00000000-0000-0000-0000-000000000000")
STATES = """
import sys
sys.path.insert(0, "/opt/ironic/lib")
from ironic.common import states
for name in ("ALL_STATES", "STABLE_STATES", "UNSTABLE_STATES", "FAILURE_STATES"):
    print(name, *sorted(getattr(states, name)), sep="|")
"""


def test_every_state_of_ironics_is_known_and_means_the_same(root: Path) -> None:
    said = subprocess.run(
        ["chroot", root, "/usr/bin/python3", "-c", STATES],
        check=True, capture_output=True, text=True, timeout=60,
    ).stdout  # fmt: skip
    theirs = {line.split("|")[0]: set(line.split("|")[1:]) for line in said.splitlines()}
    ours = set(ProvisionState) - {ProvisionState.UNKNOWN}
    # `deleted` and `deploy complete` are no states of a node, but steps on the way.
    assert theirs["ALL_STATES"] - {"deleted", "deploy complete"} == ours
    assert theirs["STABLE_STATES"] == {state for state in ours if state.is_stable}
    assert theirs["UNSTABLE_STATES"] == {state for state in ours if state.is_transient}
    assert theirs["FAILURE_STATES"] == {state for state in ours if state.is_failed}


def test_ports_are_made_found_and_removed(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = (await created(ironic)).uuid
            port = await ironic.ports.create(node, "52:54:00:AA:00:01", pxe_enabled=True)
            other = await ironic.ports.create(node, "52:54:00:aa:00:02", pxe_enabled=False)
            assert port.address == "52:54:00:aa:00:01"
            assert {port, other} == set(await ironic.ports.of_node(node))
            assert await ironic.ports.with_address("52:54:00:aa:00:02") == [other]
            assert await ironic.ports.with_address("52:54:00:aa:00:99") == []
            assert {port, other} <= set(await ironic.ports.all())
            with pytest.raises(AlreadyExistsError):
                await ironic.ports.create(node, port.address, pxe_enabled=True)
            await ironic.ports.delete(port)
            assert await ironic.ports.of_node(node) == [other]
            with pytest.raises(NotFoundError):
                await ironic.ports.of_node(NOBODY)

    asyncio.run(story())


def static_networks() -> list[Json]:
    """Return the network data of a server with a static address, and of one with a bond."""

    def bonded(tree: Tree) -> None:
        tree["platform"]["baremetal"]["hosts"][0]["networkConfig"] = BONDED

    by_media = cluster("virtualmedia").baremetal.hosts
    found = [
        network_data(host, boots_from_machine_network=True)
        for host in by_media
        if host.network_config
    ]
    bond = cluster(change=bonded).baremetal.hosts[0]
    return [*found, network_data(bond, boots_from_machine_network=False)]


@pytest.mark.parametrize("said", static_networks())
def test_static_networks_are_what_ironic_understands(service: Service, said: Json) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic, network_data=said)
            assert (await ironic.nodes.get(node.uuid)).document["network_data"] == said

    asyncio.run(story())


def test_a_listing_goes_over_all_pages(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            made = {(await created(ironic)).uuid for _ in range(5)}
            at_once = [one.uuid for one in await ironic.nodes.statuses()]
            in_pages = [one.uuid for one in await ironic.nodes.statuses(page=2)]
            in_full = [one.uuid for one in await ironic.nodes.all(page=3)]
            assert made <= set(at_once)
            assert at_once == in_pages == in_full
            none = NodeFilter(provision_state=ProvisionState.ADOPT_FAILED)
            assert await ironic.nodes.statuses(none) == []

    asyncio.run(story())


def test_a_listing_says_of_a_node_what_reading_it_alone_does(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            alone = await ironic.nodes.get(node.uuid)
            (listed,) = [one for one in await ironic.nodes.all() if one.uuid == node.uuid]
            (glance,) = [one for one in await ironic.nodes.statuses() if one.uuid == node.uuid]
            assert listed.document == alone.document
            assert glance == alone.status == listed.status

    asyncio.run(story())


def test_a_node_that_was_not_inspected_has_no_inventory(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            assert await ironic.hardware.inventory(node.uuid) is None
            assert await ironic.hardware.firmware(node.uuid) == []
            assert await ironic.hardware.bios_settings(node.uuid) == []
            with pytest.raises(NotFoundError):
                await ironic.hardware.inventory(NOBODY)

    asyncio.run(story())


def test_a_raid_that_is_none_is_refused_and_a_good_one_kept(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            with pytest.raises(RefusedError, match="logical_disks"):
                await ironic.driving.want_raid(node.uuid, {"wrong": 1})
            disks: dict[str, Json] = {"logical_disks": [{"size_gb": "MAX", "raid_level": "1"}]}
            await ironic.driving.want_raid(node.uuid, disks)
            assert (await ironic.nodes.get(node.uuid)).document["target_raid_config"] == disks

    asyncio.run(story())


def test_what_a_bmc_cannot_do_is_refused_without_telling_secrets(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = (await created(ironic)).uuid
            wish = Subscription(
                destination="https://events.example.com", headers=({"Authorization": "hush"},)
            )
            with pytest.raises(RefusedError, match="create_subscription") as refused:
                await ironic.bmc.subscribe(node, wish)
            assert "hush" not in str(refused.value) + repr(wish)
            with pytest.raises(RefusedError, match="delete_subscription"):
                await ironic.bmc.unsubscribe(node, "1")
            with pytest.raises(RefusedError, match="virtual_media"):
                await ironic.bmc.media(node)

    asyncio.run(story())
