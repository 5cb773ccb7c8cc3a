"""PreprovisioningImages on a real API server: asked for, answered and let go of."""

from __future__ import annotations

import platform
from collections.abc import Iterator

import pytest

from ingot.kube.kind import Content
from ingot.metal3.api import finalizer, label
from ingot.metal3.host.observation import RamdiskState
from ingot.metal3.node.subject import Ramdisk
from ingot.metal3.operator.kinds import PREPROVISIONING_IMAGE, SECRET
from ingot.metal3.operator.ramdisks.room import RamdiskRoom
from tests.integration.kube.widgets import awaited, until
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.operator.rooms_site import RoomsSite, metal3_api, site

ALL = Ramdisk(
    iso="http://site/agent.iso",
    kernel="http://site/kernel",
    initrd="http://site/initrd",
    kernel_params="nofb",
)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with metal3_api(tmp_path_factory.mktemp("kube")) as started:
        yield started


def reason(one: Content) -> str:
    conditions = one.get("status", {}).get("conditions", ())
    current = [c for c in conditions if c["observedGeneration"] == one["metadata"]["generation"]]
    return next((c["reason"] for c in current if c["type"] == "Error"), "")


async def until_ready(at: RoomsSite, room: RamdiskRoom, name: str) -> None:
    """Reconcile the host as its controller does, until its ramdisk is ready."""

    def ready() -> bool:
        return room.seen(at.stored(name)).state is RamdiskState.READY

    await room.ensure(at.stored(name))
    await until(ready)


@awaited()
async def test_a_host_asks_for_an_image_and_gets_the_sites(api: KubeApi) -> None:
    async with site(api, RamdiskRoom, ramdisk=ALL) as (at, room):
        host = await at.host("one", labels={"rack": "7"})
        assert room.seen(host).state is RamdiskState.PENDING
        assert room.ramdisk(host) is None
        await until_ready(at, room, "one")
        assert room.ramdisk(host) == Ramdisk(iso="http://site/agent.iso")
        made = at.found(PREPROVISIONING_IMAGE, "one")
        meta = made["metadata"]
        assert meta["labels"] == {"rack": "7"}
        assert set(meta["finalizers"]) == {
            finalizer.PREPROVISIONING_IMAGE,
            finalizer.PREPROVISIONING_IMAGE_OF_HOST,
        }
        [owner] = meta["ownerReferences"]
        assert (owner["uid"], owner["controller"]) == (host.metadata.uid, True)
        assert made["spec"] == {
            "architecture": platform.machine(),
            "acceptFormats": ["iso", "initrd"],
        }
        before = meta["resourceVersion"]
        await room.ensure(at.stored("one"))
        assert at.found(PREPROVISIONING_IMAGE, "one")["metadata"]["resourceVersion"] == before

        await room.release(host)
        await at.is_gone(PREPROVISIONING_IMAGE, "one")
        await room.release(host)


@awaited()
async def test_a_host_that_changes_asks_anew(api: KubeApi) -> None:
    async with site(api, RamdiskRoom, ramdisk=ALL) as (at, room):
        host = await at.host("two")
        await until_ready(at, room, "two")
        change = {
            "metadata": {"labels": {"rack": "8"}},
            "spec": {
                "architecture": "aarch64",
                "bmc": {"address": "ipmi://192.0.2.1", "credentialsName": "bmc"},
            },
        }
        await at.client.patch(host.kind, host.key, change)
        await until(lambda: at.stored("two").metadata.generation > host.metadata.generation)
        assert room.seen(at.stored("two")).state is RamdiskState.PENDING
        await until_ready(at, room, "two")
        assert room.ramdisk(at.stored("two")) == Ramdisk(
            initrd="http://site/initrd", kernel="http://site/kernel", kernel_params="nofb"
        )
        made = at.found(PREPROVISIONING_IMAGE, "two")
        assert made["spec"] == {"architecture": "aarch64", "acceptFormats": ["initrd"]}
        assert made["metadata"]["labels"] == {"rack": "8"}


@awaited()
async def test_network_data_is_waited_for_judged_and_followed(api: KubeApi) -> None:
    async with site(api, RamdiskRoom, ramdisk=ALL) as (at, room):
        await at.host("three", preprovisioningNetworkDataName="net")
        await room.ensure(at.stored("three"))
        await at.became(
            PREPROVISIONING_IMAGE, "three", lambda one: reason(one) == "MissingNetworkData"
        )
        failed = room.seen(at.stored("three"))
        assert failed.state is RamdiskState.FAILED
        assert f"{at.namespace}/net" in failed.why

        await at.secret("net", networkData="- hush")
        await room.ensure(at.stored("three"))
        broken = await at.became(
            PREPROVISIONING_IMAGE, "three", lambda one: reason(one) == "ImageBuildInvalid"
        )
        assert "hush" not in str(broken)

        await at.secret("net", networkData="links: []")
        await until_ready(at, room, "three")
        first = room.seen(at.stored("three"))
        ready = at.found(PREPROVISIONING_IMAGE, "three")
        assert ready["status"]["format"] == "initrd"
        assert ready["status"]["networkData"]["name"] == "net"
        meta = (await at.client.get(SECRET, at.key("net"))).content
        assert finalizer.SECRET in meta["metadata"]["finalizers"]
        assert meta["metadata"]["labels"][label.ENVIRONMENT] == label.ENVIRONMENT_VALUE

        await at.secret("net", networkData="links: [{id: eth0}]")
        await until(
            lambda: (
                room.seen(at.stored("three")).state is RamdiskState.READY
                and room.seen(at.stored("three")).version != first.version
            )
        )


@awaited()
async def test_a_site_that_asks_for_no_images_still_needs_good_network_data(api: KubeApi) -> None:
    async with site(api, RamdiskRoom) as (at, room):
        assert room.controllers() == []
        await at.host("four", preprovisioningNetworkDataName="none")
        assert room.seen(at.stored("four")).state is RamdiskState.PENDING
        await room.ensure(at.stored("four"))
        assert room.seen(at.stored("four")).state is RamdiskState.FAILED
        await at.secret("none", value="{}")
        await room.ensure(at.stored("four"))
        await until(lambda: room.seen(at.stored("four")).state is RamdiskState.READY)
        assert room.ramdisk(at.stored("four")) is None
        assert at.found(PREPROVISIONING_IMAGE, "four") == {}


@awaited()
async def test_a_host_in_use_asks_for_nothing(api: KubeApi) -> None:
    async with site(api, RamdiskRoom, ramdisk=ALL) as (at, room):
        host = await at.host("five", state="provisioned")
        await room.ensure(host)
        assert room.seen(host).state is RamdiskState.READY
        page = await at.client.list(PREPROVISIONING_IMAGE)
        assert host.key not in [one.key for one in page.objects]
