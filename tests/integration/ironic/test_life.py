"""The life of a node in a real Ironic that drives servers which do not exist."""

from __future__ import annotations

import asyncio
import json
import uuid
from urllib.request import Request, urlopen

import pytest

from ingot.ironic.client import Ironic
from ingot.ironic.driving import ConfigDrive, Step
from ingot.ironic.node import NodeId
from ingot.ironic.nodes import NodeFilter
from ingot.ironic.patch import MASK, REMOVED, Wish, difference
from ingot.ironic.refusal import AlreadyExistsError, NotFoundError, RefusedError
from ingot.ironic.states import PowerState, PowerTarget, ProvisionState, Verb
from ingot.ironic.version import ABORT_DEPLOY
from tests.integration.ironic.driven import created, driven, reached, settled
from tests.integration.ironic.service import Service

APPLY_BIOS = Step(
    interface="bios",
    step="apply_configuration",
    args={"settings": [{"name": "LogicalProc", "value": "Enabled"}]},
)
INSTANCE = "6f6cd1ab-4d5f-4e5c-8d7c-5c9a8f3f7a10"


def test_ironic_is_ready_and_its_version_is_the_newest_that_is_used(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            ready = await ironic.readiness()
            assert ready.is_ready
            assert ready.drivers == {"fake-hardware"}
            assert ready.version == ABORT_DEPLOY

    asyncio.run(story())


def test_a_node_lives_from_enrolment_to_deletion(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            uuid = node.uuid
            assert node.status.provision_state is ProvisionState.ENROLL
            assert node.status.power_state is PowerState.UNKNOWN
            await driven(ironic, uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await driven(ironic, uuid, Verb.INSPECT, ProvisionState.MANAGEABLE)
            await ironic.driving.clean(uuid, [APPLY_BIOS])
            await reached(ironic, uuid, ProvisionState.MANAGEABLE)
            assert "LogicalProc" in {one.name for one in await ironic.hardware.bios_settings(uuid)}
            await driven(ironic, uuid, Verb.PROVIDE, ProvisionState.AVAILABLE)

            node = await ironic.nodes.get(uuid)
            await ironic.nodes.update(
                node,
                {"instance_uuid": INSTANCE, "instance_info": {"image_source": "http://image"}},
            )
            verdicts = await ironic.driving.validate(uuid)
            assert verdicts["deploy"].good
            assert not verdicts["rescue"].good
            assert "rescue" in verdicts["rescue"].reason
            await ironic.driving.deploy(
                uuid, config_drive=ConfigDrive(meta_data={"name": "a"}, user_data="#!/bin/sh")
            )
            status = await reached(ironic, uuid, ProvisionState.ACTIVE)
            assert status.instance_uuid == INSTANCE

            await driven(ironic, uuid, Verb.DELETED, ProvisionState.AVAILABLE)
            await driven(ironic, uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await ironic.nodes.delete(uuid)
            assert await ironic.nodes.find(uuid) is None
            with pytest.raises(NotFoundError):
                await ironic.driving.ask(uuid, Verb.MANAGE)

    asyncio.run(story())


def test_a_running_server_is_adopted(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            await driven(ironic, node.uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await ironic.nodes.update(
                node, {"instance_info": {"image_source": "http://image", "image_checksum": "0"}}
            )
            await driven(ironic, node.uuid, Verb.ADOPT, ProvisionState.ACTIVE)

    asyncio.run(story())


def test_an_active_server_is_serviced(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            await driven(ironic, node.uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await driven(ironic, node.uuid, Verb.ADOPT, ProvisionState.ACTIVE)
            with pytest.raises(RefusedError):
                await ironic.driving.service(node.uuid, [])
            await ironic.driving.service(
                node.uuid, [Step(interface="vendor", step="log_passthrough")]
            )
            await reached(ironic, node.uuid, ProvisionState.ACTIVE)

    asyncio.run(story())


async def waiting_for_its_agent(ironic: Ironic, mac: str) -> NodeId:
    """Return a node that is inspected by an agent of its own accord, since nothing boots it."""
    node = await created(ironic)
    await ironic.ports.create(node.uuid, mac, pxe_enabled=True)
    await driven(ironic, node.uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
    await ironic.nodes.update(node, {"inspect_interface": "agent"})
    await ironic.driving.ask(node.uuid, Verb.INSPECT)
    status = await settled(ironic, node.uuid, lambda seen: seen.provision_state.is_wait)
    assert status.provision_state is ProvisionState.INSPECT_WAIT
    return node.uuid


def test_an_inspection_that_waits_is_aborted(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await waiting_for_its_agent(ironic, "52:54:00:bb:00:01")
            await ironic.driving.ask(node, Verb.ABORT)
            status = await settled(ironic, node, lambda seen: seen.provision_state.is_failed)
            assert status.provision_state is ProvisionState.INSPECT_FAILED
            assert "abort" in (status.last_error or "")

    asyncio.run(story())


def test_what_an_agent_reports_is_the_inventory(service: Service) -> None:
    mac = "52:54:00:bb:00:02"
    report = {
        "inventory": {
            "interfaces": [{"name": "eth0", "mac_address": mac, "ipv4_address": "10.0.0.9"}],
            "memory": {"physical_mb": 4096},
            "cpu": {"count": 2, "architecture": "x86_64"},
            "disks": [{"name": "/dev/sda", "size": 10**10}],
            "bmc_address": "0.0.0.0",  # noqa: S104 - so an agent says that it found none
            "boot": {"current_boot_mode": "uefi", "pxe_interface": mac},
        },
        "root_disk": {"name": "/dev/sda", "size": 10**10},
        "boot_interface": mac,
    }
    request = Request(  # noqa: S310 - the address is the test's own
        f"{service.access.root}/v1/continue_inspection",
        method="POST",
        data=json.dumps(report).encode(),
        headers={"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "1.110"},
    )

    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await waiting_for_its_agent(ironic, mac)
            with await asyncio.to_thread(urlopen, request, timeout=30) as answer:
                assert answer.status == 202
            await reached(ironic, node, ProvisionState.MANAGEABLE)
            found = await ironic.hardware.inventory(node)
            assert found is not None
            assert found.inventory["memory"] == {"physical_mb": 4096}
            assert found.plugin_data["root_disk"] == report["root_disk"]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("target", "then"),
    [
        (PowerTarget.ON, PowerState.ON),
        (PowerTarget.OFF, PowerState.OFF),
        (PowerTarget.SOFT_OFF, PowerState.OFF),
    ],
)
def test_power_is_switched(service: Service, target: PowerTarget, then: PowerState) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            await driven(ironic, node.uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
            await ironic.driving.power(node.uuid, PowerTarget.ON)
            await settled(ironic, node.uuid, lambda seen: seen.power_state is PowerState.ON)
            await ironic.driving.power(node.uuid, target, timeout_seconds=180)
            await settled(
                ironic,
                node.uuid,
                lambda seen: seen.power_state is then and seen.target_power_state is None,
            )

    asyncio.run(story())


def test_maintenance_is_set_with_its_reason_and_cleared(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            await ironic.driving.set_maintenance(node.uuid, "deleted by its owner")
            kept = await ironic.nodes.get(node.uuid)
            assert kept.status.maintenance
            assert kept.document["maintenance_reason"] == "deleted by its owner"
            listed = await ironic.nodes.statuses(NodeFilter(maintenance=True))
            assert node.uuid in {one.uuid for one in listed}
            await ironic.driving.clear_maintenance(node.uuid)
            assert not (await ironic.nodes.get(node.uuid)).status.maintenance

    asyncio.run(story())


def test_a_node_is_found_by_its_name(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic, "metal3~worker-0.site")
            found = await ironic.nodes.find("metal3~worker-0.site")
            assert found is not None
            assert found.uuid == node.uuid
            assert await ironic.nodes.find("metal3~nobody") is None

    asyncio.run(story())


def test_a_name_that_is_taken_is_no_reason_to_wait(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            await created(ironic, "metal3~twice")
            with pytest.raises(AlreadyExistsError) as refused:
                await created(ironic, "metal3~twice")
            assert refused.value.retry_after is None
            assert refused.value.call.request_id.startswith("req-")

    asyncio.run(story())


def test_an_instance_belongs_to_one_node(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            instance = str(uuid.uuid4())
            one, other = await created(ironic), await created(ironic)
            await ironic.nodes.update(one, {"instance_uuid": instance})
            with pytest.raises(AlreadyExistsError):
                await ironic.nodes.update(other, {"instance_uuid": instance})

    asyncio.run(story())


def test_what_is_not_possible_in_a_state_is_refused(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            with pytest.raises(RefusedError, match="enroll") as refused:
                await ironic.driving.deploy(node.uuid)
            assert refused.value.retry_after is None

    asyncio.run(story())


def test_a_patch_changes_only_what_differs(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            before = await created(ironic)
            wanted: Wish = {
                "driver_info": {
                    "redfish_address": "https://10.0.0.8",
                    "redfish_password": "hidden",
                    "redfish_verify_ca": False,
                },
                "properties": {"capabilities": "boot_mode:uefi", "cpu_arch": "x86_64"},
                "automated_clean": False,
            }
            assert len(difference(before.document, wanted)) == 4
            after = await ironic.nodes.update(before, wanted)
            changed = {
                name
                for name in before.document
                if before.document[name] != after.document.get(name) and name != "updated_at"
            }
            assert changed == {"driver_info", "properties", "automated_clean"}
            assert after.driver_info["redfish_password"] == MASK
            assert after.driver_info["redfish_verify_ca"] is False
            assert difference(after.document, wanted) == ()
            assert await ironic.nodes.update(after, wanted) is after

    asyncio.run(story())


def test_a_removed_field_has_its_default_again(service: Service) -> None:
    async def story() -> None:
        async with Ironic(service.access) as ironic:
            node = await created(ironic)
            node = await ironic.nodes.update(node, {"instance_uuid": str(uuid.uuid4())})
            node = await ironic.nodes.update(node, {"instance_uuid": REMOVED})
            assert node.status.instance_uuid is None
            assert await ironic.nodes.update(node, {"instance_uuid": REMOVED}) is node

    asyncio.run(story())
