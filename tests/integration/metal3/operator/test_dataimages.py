"""DataImages, through a real Ironic, in the virtual drive of a BMC that speaks Redfish."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator

import pytest

from ingot.ironic.node import NodeId
from ingot.kube.kind import Content
from ingot.metal3.api import annotation, finalizer
from ingot.metal3.host.decision import DataImageStep
from ingot.metal3.host.observation import DataImageSeen
from ingot.metal3.operator.dataimages.room import DataImageRoom
from ingot.metal3.operator.kinds import DATA_IMAGE, HOST
from tests.integration.ironic.service import unpacked_root
from tests.integration.kube.widgets import awaited, until
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.operator.rooms_site import (
    RoomsSite,
    Servers,
    metal3_api,
    servers,
    site,
)

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with metal3_api(tmp_path_factory.mktemp("kube")) as started:
        yield started


@pytest.fixture(scope="module")
def hardware(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    root = unpacked_root(tmp_path_factory.mktemp("metal3"))
    with servers(root, tmp_path_factory.mktemp("ironic")) as started:
        (started.folder / "data.iso").write_bytes(b"an image")
        yield started
    shutil.rmtree(root)


async def in_use(at: RoomsSite, hardware: Servers, name: str) -> NodeId:
    """Have a provisioned host that is off; return its node."""
    node = await hardware.node(at.parts.ironic, f"{at.namespace}~{name}")
    await until(lambda: at.parts.census.known(node.uuid, "") is not None)
    await at.host(name, state="provisioned", node=node.uuid)
    return node.uuid


async def inserted(at: RoomsSite, node: NodeId) -> bool:
    return any(one.inserted for one in await at.parts.ironic.bmc.media(node))


async def changed(
    at: RoomsSite, room: DataImageRoom, node: NodeId, name: str, step: DataImageStep
) -> DataImageSeen:
    """Have the drive changed as the host's controller does; return what came of it."""
    before = room.seen(at.stored(name))
    async with asyncio.timeout(60):
        while True:
            await room.change(at.stored(name), node, step)
            now = room.seen(at.stored(name))
            if (now.attached, now.failures) != (before.attached, before.failures):
                return now
            await asyncio.sleep(0.1)


def held(one: Content) -> bool:
    return finalizer.DATA_IMAGE in one["metadata"].get("finalizers", ())


def going(one: Content) -> bool:
    return "deletionTimestamp" in one["metadata"]


async def made(at: RoomsSite, name: str, url: str, when: Callable[[Content], bool] = held) -> None:
    await at.create(DATA_IMAGE, name, url=url)
    await at.became(DATA_IMAGE, name, when)


@awaited(within=120)
async def test_an_image_is_put_in_and_taken_out_at_power_cycles(
    api: KubeApi, hardware: Servers
) -> None:
    url = f"{hardware.images}/data.iso"
    async with site(api, DataImageRoom, access=hardware.ironic.access) as (at, room):
        node = await in_use(at, hardware, "one")
        assert room.seen(at.stored("one")) == DataImageSeen()
        await made(at, "one", url)
        [owner] = at.found(DATA_IMAGE, "one")["metadata"]["ownerReferences"]
        host = at.stored("one")
        assert (owner["uid"], owner["controller"]) == (host.metadata.uid, True)
        assert room.seen(host) == DataImageSeen(wanted=url)

        now = await changed(at, room, node, "one", DataImageStep.ATTACH)
        assert now == DataImageSeen(wanted=url, attached=url)
        assert await inserted(at, node)
        status = at.found(DATA_IMAGE, "one")["status"]
        assert status["lastReconciled"]
        assert "error" not in status

        await at.client.delete(DATA_IMAGE, at.key("one"))
        await at.became(DATA_IMAGE, "one", going)
        assert room.seen(at.stored("one")) == DataImageSeen(attached=url)
        assert held(at.found(DATA_IMAGE, "one")), "the image is still in the drive"
        await changed(at, room, node, "one", DataImageStep.DETACH)
        assert not await inserted(at, node)
        await at.is_gone(DATA_IMAGE, "one")
        reasons = [reason for reason, _ in await at.events("DataImage")]
        assert reasons == ["DataImageAttached", "DataImageDetached"]


@awaited(within=120)
async def test_failures_are_counted_until_the_wish_or_the_power_changes(
    api: KubeApi, hardware: Servers
) -> None:
    async with site(api, DataImageRoom, access=hardware.ironic.access) as (at, room):
        node = await in_use(at, hardware, "two")
        await made(at, "two", f"{hardware.images}/none.iso")
        for count in range(1, 4):
            now = await changed(at, room, node, "two", DataImageStep.ATTACH)
            assert (now.attached, now.failures) == (None, count)
        told = at.found(DATA_IMAGE, "two")["status"]["error"]
        assert told["count"] == 3
        assert "none.iso" in told["message"]
        assert {reason for reason, _ in await at.events("DataImage")} == {"DataImageError"}

        await at.becomes("two", state="provisioned", node=node, on=True)
        calm = await at.became(DATA_IMAGE, "two", lambda one: one["status"]["error"]["count"] == 0)
        assert calm["status"]["error"]["message"] == told["message"]

        good = f"{hardware.images}/data.iso"
        await at.client.patch(DATA_IMAGE, at.key("two"), {"spec": {"url": good}})
        await at.became(DATA_IMAGE, "two", lambda one: one["spec"]["url"] == good)
        assert room.seen(at.stored("two")) == DataImageSeen(wanted=good)
        assert (await changed(at, room, node, "two", DataImageStep.ATTACH)).attached == good
        await at.client.delete(DATA_IMAGE, at.key("two"))
        await at.became(DATA_IMAGE, "two", going)
        await changed(at, room, node, "two", DataImageStep.DETACH)
        await at.is_gone(DATA_IMAGE, "two")


@awaited(within=120)
async def test_the_drive_of_a_host_that_is_no_longer_in_use_is_emptied(
    api: KubeApi, hardware: Servers
) -> None:
    async with site(api, DataImageRoom, access=hardware.ironic.access) as (at, room):
        node = await in_use(at, hardware, "three")
        await made(at, "three", f"{hardware.images}/data.iso")
        await changed(at, room, node, "three", DataImageStep.ATTACH)
        await at.client.delete(DATA_IMAGE, at.key("three"))
        await at.became(DATA_IMAGE, "three", going)
        await at.becomes("three", state="available", node=node)
        await at.is_gone(DATA_IMAGE, "three")
        assert not await inserted(at, node)


@awaited(within=120)
async def test_a_data_image_goes_with_its_host_and_says_what_is_left(
    api: KubeApi, hardware: Servers
) -> None:
    async with site(api, DataImageRoom, access=hardware.ironic.access) as (at, room):
        node = await in_use(at, hardware, "four")
        await made(at, "four", f"{hardware.images}/data.iso")
        await changed(at, room, node, "four", DataImageStep.ATTACH)
        await at.client.delete(DATA_IMAGE, at.key("four"))
        await at.became(DATA_IMAGE, "four", going)
        await at.client.delete(HOST, at.key("four"))
        await at.is_gone(DATA_IMAGE, "four")
        assert "DataImageLeftBehind" in str(await at.events("DataImage"))
        await at.parts.ironic.bmc.detach_media(node)


@awaited(within=120)
async def test_nothing_is_done_for_a_paused_host(api: KubeApi, hardware: Servers) -> None:
    async with site(api, DataImageRoom, access=hardware.ironic.access) as (at, _):
        await in_use(at, hardware, "five")
        paused = {"metadata": {"annotations": {annotation.PAUSED: ""}}}
        await at.client.patch(HOST, at.key("five"), paused)
        await until(lambda: annotation.PAUSED in at.stored("five").metadata.annotations)
        await made(at, "five", "http://images/data.iso", when=bool)
        await made(at, "other", "http://images/data.iso", when=bool)
        free = {"metadata": {"annotations": {annotation.PAUSED: None}}}
        assert not held(at.found(DATA_IMAGE, "five"))
        await at.client.patch(HOST, at.key("five"), free)
        await at.became(DATA_IMAGE, "five", held)
        assert not held(at.found(DATA_IMAGE, "other")), "it has no host"
