"""HardwareData on a real API server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from ingot.kube.controller import Controller
from ingot.kube.errors import Conflict
from ingot.metal3.api import finalizer
from ingot.metal3.api.hardware import CPU, HardwareDetails
from ingot.metal3.operator.hardwaredata import HardwareRoom
from ingot.metal3.operator.kinds import HARDWARE_DATA
from ingot.metal3.operator.parts import Parts
from tests.integration.kube.widgets import awaited, until
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.operator.rooms_site import metal3_api, site

FIRST = HardwareDetails(cpu=CPU(arch="x86_64"), hostname="one")
SECOND = HardwareDetails(cpu=CPU(arch="aarch64"), hostname="two")


class Room(HardwareRoom):
    """It has no controller."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)

    def controllers(self) -> Sequence[Controller]:
        return ()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with metal3_api(tmp_path_factory.mktemp("kube")) as started:
        yield started


@awaited()
async def test_what_was_found_is_kept_replaced_and_let_go_of(api: KubeApi) -> None:
    async with site(api, Room) as (at, room):
        host = await at.host("one")
        assert room.seen(host) is None
        await room.write(host, FIRST)
        await until(lambda: room.seen(host) == FIRST)
        first = at.found(HARDWARE_DATA, "one")["metadata"]
        [owner] = first["ownerReferences"]
        assert (owner["uid"], owner["controller"]) == (host.metadata.uid, True)
        assert first["finalizers"] == [finalizer.HARDWARE_DATA]

        await room.write(host, FIRST)
        await room.write(host, SECOND)
        await until(lambda: room.seen(host) == SECOND)
        second = at.found(HARDWARE_DATA, "one")["metadata"]
        assert second["uid"] != first["uid"]

        await room.release(host)
        await at.client.delete(HARDWARE_DATA, host.key)
        await at.is_gone(HARDWARE_DATA, "one")
        await room.release(host)


@awaited()
async def test_the_same_finding_makes_no_second_one(api: KubeApi) -> None:
    async with site(api, Room) as (at, room):
        host = await at.host("same")
        await room.write(host, FIRST)
        before = await at.client.get(HARDWARE_DATA, host.key)
        await room.write(host, FIRST)
        after = await at.client.get(HARDWARE_DATA, host.key)
        assert after.metadata.resource_version == before.metadata.resource_version


@awaited()
async def test_one_that_somebody_else_holds_is_tried_again_later(api: KubeApi) -> None:
    async with site(api, Room) as (at, room):
        host = await at.host("held")
        await room.write(host, FIRST)
        others = {"metadata": {"finalizers": ["example.com/mine", finalizer.HARDWARE_DATA]}}
        await at.client.patch(HARDWARE_DATA, host.key, others)
        with pytest.raises(Conflict):
            await room.write(host, SECOND)
        await at.client.patch(HARDWARE_DATA, host.key, {"metadata": {"finalizers": []}})
        await room.write(host, SECOND)
        await until(lambda: room.seen(host) == SECOND)
