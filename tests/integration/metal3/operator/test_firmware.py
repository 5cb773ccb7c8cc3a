"""Firmware of hosts: real API server, real Ironic, and BMCs that speak real Redfish."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.driving import Step
from ingot.ironic.node import NodeId
from ingot.ironic.states import PowerTarget, ProvisionState
from ingot.kube.client import Patch
from ingot.kube.kind import Content
from ingot.metal3.api import annotation
from ingot.metal3.host.decision import FirmwareRecord
from ingot.metal3.host.observation import FirmwareSeen
from ingot.metal3.node.goal import FirmwareUpdate
from ingot.metal3.operator.kinds import (
    FIRMWARE_COMPONENTS,
    FIRMWARE_SCHEMA,
    FIRMWARE_SETTINGS,
    HOST,
    UPDATE_POLICY,
)
from tests.integration.ironic.driven import reached, settled
from tests.integration.ironic.service import Service, fake_conf, free_port, running, unpacked_root
from tests.integration.kube.widgets import awaited, until
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.lab.redfish_bench import FIRST, PASSWORD, SECOND, USER, Bench, bench
from tests.integration.metal3.operator.firmware_site import (
    FirmwareSite,
    condition,
    judged,
    operated,
    place,
    site,
    valid,
)
from tests.integration.metal3.served import manifests

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

FAKE = "redfish://10.0.0.7/redfish/v1/Systems/1"
PRETENDED = {
    "driver": "fake-hardware",
    **dict.fromkeys(("bios_interface", "boot_interface", "deploy_interface"), "fake"),
}
APPLY = Step(
    interface="bios",
    step="apply_configuration",
    args={"settings": [{"name": "LogicalProc", "value": "Enabled"}]},
)
BIOS = {"component": "bios", "url": "http://images/bios-2"}
NIC = {"component": "nic:1", "url": "http://images/nic-2"}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("kube")) as started:
        for manifest in manifests():
            started.install(manifest)
        yield started


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    root = unpacked_root(tmp_path_factory.mktemp("metal3"))
    every = Interfaces()
    conf = replace(fake_conf(free_port()), interfaces=replace(every, bios=(*every.bios, "fake")))
    with running(root, tmp_path_factory.mktemp("ironic"), conf) as started:
        yield started
    shutil.rmtree(root)


@pytest.fixture
def bmcs(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def address(bmcs: Bench, host: str) -> str:
    plan = bmcs.plans[host]
    return f"redfish://{plan.bmc.address}:{bmcs.bmcs.port(host)}{bmcs.system_path(host)}"


async def registered(here: FirmwareSite, bmcs: Bench, host: str) -> NodeId:
    """Do what the host's own controller does until a host is registered."""
    await here.host(host, address(bmcs, host))
    node = await here.node(
        host,
        driver="redfish",
        driver_info={
            "redfish_address": bmcs.url(host),
            "redfish_system_id": bmcs.system_path(host),
            "redfish_username": USER,
            "redfish_password": PASSWORD,
            "redfish_verify_ca": False,
        },
    )
    await here.room.ensure(here.stored(host))
    return node


async def faked(here: FirmwareSite, name: str) -> NodeId:
    await here.host(name, FAKE)
    node = await here.node(name, **PRETENDED)
    await here.room.ensure(here.stored(name))
    return node


def owners(one: Content) -> set[str]:
    return {owner["name"] for owner in one["metadata"].get("ownerReferences", ())}


@awaited(within=120)
async def test_settings_and_components_of_two_equal_servers_are_told(
    api: KubeApi, service: Service, bmcs: Bench
) -> None:
    async with site(api, service.access) as here:
        for host in (FIRST, SECOND):
            await registered(here, bmcs, host)
        first = await here.settings(FIRST, judged)
        second = await here.settings(SECOND, judged)

        assert first["status"]["settings"]["BootTimeout"] == "3"
        assert first["status"]["settings"]["QuietBoot"] == "false"
        assert valid(first) == ("True", 1)
        assert owners(first) == {FIRST}
        assert not first["metadata"]["ownerReferences"][0].get("controller")

        name = first["status"]["schema"]["name"]
        assert second["status"]["schema"] == {"name": name, "namespace": here.namespace}
        schema = await here.became(
            FIRMWARE_SCHEMA, name, lambda one: owners(one) == {FIRST, SECOND}
        )
        limits = schema["spec"]["schema"]
        assert limits["BootTimeout"] == {
            "attribute_type": "Integer",
            "lower_bound": 0,
            "upper_bound": 60,
            "read_only": False,
            "unique": False,
        }
        assert limits["SystemProfile"]["allowable_values"] == [
            "Balanced",
            "Performance",
            "PowerSaving",
        ]

        parts = await here.components(FIRST, judged)
        assert {one["component"] for one in parts["status"]["components"]} == {"bios", "bmc"}
        assert owners(parts) == {FIRST}
        assert here.room.seen(here.stored(FIRST)) == FirmwareSeen()


@awaited(within=120)
async def test_a_wish_is_judged_and_what_differs_is_seen(
    api: KubeApi, service: Service, bmcs: Bench
) -> None:
    async with site(api, service.access) as here:
        await registered(here, bmcs, FIRST)
        await here.settings(FIRST, judged)
        wanted = {"BootTimeout": 10, "QuietBoot": "false", "SystemProfile": "Performance"}
        await here.want(FIRMWARE_SETTINGS, FIRST, settings=wanted)
        made = await here.settings(FIRST, lambda one: valid(one) == ("True", 2))
        assert condition(made, "ChangeDetected")["status"] == "True"
        seen = here.room.seen(here.stored(FIRST))
        assert seen.ready
        assert seen.asked
        assert seen.settings == {"BootTimeout": "10", "SystemProfile": "Performance"}

        wrong = {"BootTimeout": 100, "QuietBoot": None, "NumCores": 3, "Colour": "red"}
        await here.want(FIRMWARE_SETTINGS, FIRST, settings=wrong)
        made = await here.settings(FIRST, lambda one: valid(one) == ("False", 3))
        said = condition(made, "Valid")
        assert said["reason"] == "ConfigurationError"
        assert said["message"] == (
            "BootTimeout: 100 is more than 60; Colour: the host has no such setting; "
            "NumCores: it cannot be changed"
        )
        assert await here.warnings(FIRST, "HostFirmwareSettings") == [said["message"]]
        assert here.room.seen(here.stored(FIRST)) == FirmwareSeen(ready=True, asked=True)


@awaited(within=120)
async def test_at_rest_neither_ironic_nor_the_api_server_is_asked(
    api: KubeApi, service: Service, bmcs: Bench
) -> None:
    async with site(api, service.access) as here:
        node = await registered(here, bmcs, FIRST)
        made = await here.settings(FIRST, judged)
        await here.components(FIRST, judged)
        await here.became(FIRMWARE_SCHEMA, made["status"]["schema"]["name"], bool)
        before = await here.rested()
        # The node changes in ways that have nothing to do with firmware.
        for target in (PowerTarget.ON, PowerTarget.OFF):
            await here.ironic.driving.power(node, target)
            await settled(
                here.ironic,
                node,
                lambda now, t=target: now.power_state.value == t.value,  # type: ignore[misc]
            )
            listings = here.parts.census.listings
            await until(lambda past=listings: here.parts.census.listings > past + 2)  # type: ignore[misc]
            await here.room.ensure(here.stored(FIRST))
        assert here.hardware.settings_read == {node: 1}
        assert here.hardware.components_read == {node: 1}
        assert here.answers == before


@awaited(within=120)
async def test_a_schema_that_was_deleted_comes_back(
    api: KubeApi, service: Service, bmcs: Bench
) -> None:
    async with site(api, service.access) as here:
        await registered(here, bmcs, FIRST)
        name = (await here.settings(FIRST, judged))["status"]["schema"]["name"]
        old = await here.became(FIRMWARE_SCHEMA, name, bool)
        await here.client.delete(FIRMWARE_SCHEMA, here.key(name))
        await here.became(
            FIRMWARE_SCHEMA, name, lambda one: one["metadata"]["uid"] != old["metadata"]["uid"]
        )


@awaited(within=120)
async def test_settings_are_read_again_when_ironic_has_worked_on_the_node(
    api: KubeApi, service: Service
) -> None:
    async with site(api, service.access, driver="fake-hardware") as here:
        node = await faked(here, "worker")
        await here.settings("worker", judged)
        await here.want(FIRMWARE_SETTINGS, "worker", settings={"LogicalProc": "Enabled"})
        made = await here.settings("worker", lambda one: valid(one) == ("False", 2))
        assert "no BIOS settings" in condition(made, "Valid")["message"]

        await here.ironic.driving.clean(node, [APPLY])
        here.parts.census.touch(node)
        await reached(here.ironic, node, ProvisionState.MANAGEABLE)
        made = await here.settings("worker", lambda one: valid(one) == ("True", 2))
        assert made["status"]["settings"] == {"LogicalProc": "Enabled"}
        assert condition(made, "ChangeDetected")["status"] == "False"
        assert here.room.seen(here.stored("worker")) == FirmwareSeen(ready=True, asked=True)
        # A driver that lists no components leaves the host without the object.
        assert here.hardware.components_read[node] >= 1
        assert here.found(FIRMWARE_COMPONENTS, "worker") == {}


@awaited(within=120)
async def test_a_host_by_ipmi_waits_for_nothing(api: KubeApi, service: Service) -> None:
    async with site(api, service.access) as here:
        host = await here.host("old", "ipmi://10.0.0.7")
        assert here.room.seen(host).ready
        await here.room.ensure(host)
        await here.settings("old", judged)
        await here.want(FIRMWARE_SETTINGS, "old", settings={"BootTimeout": 1})
        await here.settings("old", lambda one: valid(one) == ("False", 2))
        body: Content = {
            "metadata": {"name": "old", "namespace": here.namespace},
            "spec": {"updates": [BIOS]},
        }
        await here.client.create(FIRMWARE_COMPONENTS, body)
        made = await here.components("old", judged)
        assert condition(made, "Valid")["reason"] == "InvalidComponent"
        assert here.room.seen(host) == FirmwareSeen(ready=True, asked=True)
        assert not here.hardware.settings_read
        assert not here.hardware.components_read


@awaited(within=120)
async def test_updates_are_judged_recorded_and_cleared(
    api: KubeApi, service: Service, bmcs: Bench
) -> None:
    def changes(one: Content) -> str:
        return str(condition(one, "ChangeDetected").get("status", ""))

    async with site(api, service.access) as here:
        await registered(here, bmcs, FIRST)
        await here.components(FIRST, judged)
        odd = {"component": "raid", "url": "http://images/raid"}
        await here.want(FIRMWARE_COMPONENTS, FIRST, updates=[BIOS, odd])
        made = await here.components(FIRST, lambda one: valid(one) == ("False", 2))
        assert condition(made, "Valid")["message"].startswith("raid: ")
        assert await here.warnings(FIRST, "HostFirmwareComponents")
        assert here.room.seen(here.stored(FIRST)).updates == ()

        await here.want(FIRMWARE_COMPONENTS, FIRST, updates=[BIOS])
        await here.components(FIRST, lambda one: valid(one) == ("True", 3))
        host = here.stored(FIRST)
        assert here.room.seen(host).updates == (FirmwareUpdate(**BIOS),)

        # What is asked for after the look was not part of what was ordered.
        await here.want(FIRMWARE_COMPONENTS, FIRST, updates=[BIOS, NIC])
        await here.components(FIRST, lambda one: valid(one) == ("True", 4))
        await here.room.record(host, FirmwareRecord.RECORD)
        await here.components(FIRST, lambda one: one["status"].get("updates") == [BIOS])
        assert here.room.seen(host).updates == (FirmwareUpdate(**NIC),)

        await here.room.record(host, FirmwareRecord.RECORD)
        await here.components(FIRST, lambda one: changes(one) == "False")
        assert here.room.seen(host) == FirmwareSeen(ready=True, asked=True)

        await here.room.record(host, FirmwareRecord.CLEAR)
        made = await here.components(FIRST, lambda one: changes(one) == "True")
        assert "updates" not in made["status"]
        assert len(here.room.seen(host).updates) == 2


@awaited(within=120)
async def test_objects_that_a_person_made_go_with_their_host_too(
    api: KubeApi, service: Service
) -> None:
    async with site(api, service.access, driver="fake-hardware") as here:
        await here.host("worker", FAKE)
        specs: list[tuple[object, Content]] = [
            (FIRMWARE_SETTINGS, {"settings": {"LogicalProc": "Enabled"}}),
            (UPDATE_POLICY, {"firmwareSettings": "onReboot"}),
        ]
        for kind, spec in specs:
            metadata = {"name": "worker", "namespace": here.namespace}
            await here.client.create(kind, {"metadata": metadata, "spec": spec})  # type: ignore[arg-type]
        await here.became(FIRMWARE_SETTINGS, "worker", bool)
        await here.became(UPDATE_POLICY, "worker", bool)
        seen = here.room.seen(here.stored("worker"))
        assert seen.asked
        assert not seen.ready
        assert seen.settings_on_reboot
        await here.room.ensure(here.stored("worker"))
        for kind in (FIRMWARE_SETTINGS, UPDATE_POLICY):
            await here.became(kind, "worker", lambda one: owners(one) == {"worker"})


@awaited(within=120)
async def test_a_paused_host_is_left_alone_until_it_goes_on(api: KubeApi, service: Service) -> None:
    async with site(api, service.access, driver="fake-hardware") as here:
        await here.host("worker", FAKE)
        pause = {"metadata": {"annotations": {annotation.PAUSED: ""}}}
        await here.client.patch(HOST, here.key("worker"), pause)
        await until(lambda: annotation.PAUSED in here.stored("worker").metadata.annotations)
        node = await here.node("worker", **PRETENDED)
        await here.room.ensure(here.stored("worker"))
        await here.became(FIRMWARE_SETTINGS, "worker", bool)
        listings = here.parts.census.listings
        await until(lambda: here.parts.census.listings > listings + 2)
        assert not here.hardware.settings_read
        place = f"/metadata/annotations/{annotation.PAUSED.replace('/', '~1')}"
        await here.client.patch(
            HOST, here.key("worker"), [{"op": "remove", "path": place}], how=Patch.JSON
        )
        await here.settings("worker", judged)
        assert here.hardware.settings_read == {node: 1}


@awaited(within=120)
async def test_an_operator_that_starts_anew_does_not_read_all_hosts_at_once(
    api: KubeApi, service: Service, bmcs: Bench
) -> None:
    async with place(api, service.access) as (client, ironic, namespace):
        async with operated(client, ironic, namespace) as before:
            await registered(before, bmcs, FIRST)
            await before.settings(FIRST, judged)
            await before.components(FIRST, judged)
        async with operated(client, ironic, namespace) as after:
            await until(lambda: after.parts.census.listings > 2)
            assert not after.hardware.settings_read
            assert not after.hardware.components_read
            assert after.room.seen(after.stored(FIRST)) == FirmwareSeen()
            # Who asks for something does not wait for that.
            await after.want(FIRMWARE_SETTINGS, FIRST, settings={"BootTimeout": 5})
            await after.settings(FIRST, lambda one: valid(one) == ("True", 2))
