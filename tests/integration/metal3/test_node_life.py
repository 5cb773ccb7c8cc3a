"""A host's whole life in a real Ironic, by nothing but goals."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ingot.bmc.address import parse
from ingot.ironic.client import Ironic
from ingot.ironic.driving import ConfigDrive
from ingot.ironic.node import Node
from ingot.ironic.patch import MASK, Operation
from ingot.ironic.states import PowerState, ProvisionState
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.image import ChecksumType, Image
from ingot.metal3.api.raid import RAID, SoftwareRaidLevel, SoftwareRaidVolume
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.calls import Ask, Call, Clean, CreateNode, PatchNode, SetPower
from ingot.metal3.node.finding import find
from ingot.metal3.node.firmware import bios_values
from ingot.metal3.node.goal import (
    Adopt,
    Delete,
    Deprovision,
    Detach,
    Goal,
    Inspect,
    PowerOff,
    PowerOn,
    Prepare,
    Provision,
    Register,
    Service,
)
from ingot.metal3.node.performing import perform
from ingot.metal3.node.progress import Act, Done, Failed, Waiting
from ingot.metal3.node.subject import Credentials, Site, Subject
from tests.integration.ironic.service import Service as IronicService
from tests.integration.ironic.service import inside, running, unpacked_root
from tests.unit.metal3.node.model import ASKED, BY_ITSELF
from tests.unit.metal3.node.wishes import used_up

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

WITHIN_SECONDS = 60.0
IMAGE = Image(
    url="http://127.0.0.1:1/image.raw", checksum="0" * 64, checksum_type=ChecksumType.SHA256
)
DRIVE = ConfigDrive(meta_data={"name": "worker"}, user_data="{}")
BIOS = {"LogicalProc": "Enabled"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IronicService]:
    root = unpacked_root(tmp_path_factory.mktemp("metal3"))
    with running(root, tmp_path_factory.mktemp("ironic")) as started:
        yield started


def host(**said: object) -> Subject:
    """Return a new host of a site without servers."""
    number = uuid.uuid4()
    mac = ":".join(["52", *(number.hex[at : at + 2] for at in range(0, 10, 2))])
    made = Subject(
        namespace="metal3",
        name=f"worker-{number.hex[:8]}",
        uid=str(number),
        bmc=parse("redfish-virtualmedia://10.0.0.7/redfish/v1/Systems/1"),
        credentials=Credentials("admin", "hidden"),
        boot_mac=mac,
        site=Site(driver="fake-hardware"),
    )
    return replace(made, **said)  # type: ignore[arg-type]


def deployed(subject: Subject) -> Provision:
    return Provision(instance_uuid=subject.uid, image=IMAGE, config_drive=DRIVE)


def taken_over(subject: Subject) -> Adopt:
    return Adopt(instance_uuid=subject.uid, image=IMAGE)


async def once(ironic: Ironic, goal: Goal, subject: Subject) -> None:
    """Ask once, and do what is said."""
    found = await find(ironic, subject)
    progress = advance(goal, subject, found.node, ports=found.ports)
    for call in progress.calls if isinstance(progress, Act) else ():
        await perform(ironic, call)
    await asyncio.sleep(0.1)


async def reach(ironic: Ironic, goal: Goal, subject: Subject) -> tuple[Done | Failed, list[Call]]:
    """Make all calls of a goal; return how it ended, and the calls."""
    made: list[Call] = []
    async with asyncio.timeout(WITHIN_SECONDS):
        while True:
            found = await find(ironic, subject)
            match advance(goal, subject, found.node, ports=found.ports):
                case Done() | Failed() as ended:
                    return ended, made
                case Waiting():
                    await asyncio.sleep(0.1)
                case Act() as act:
                    made.extend(act.calls)
                    for call in act.calls:
                        await perform(ironic, call)
                    goal = used_up(goal) if act.begins else goal


async def reached(ironic: Ironic, goal: Goal, subject: Subject) -> list[Call]:
    ended, made = await reach(ironic, goal, subject)
    assert ended == Done(), goal
    return made


async def shown(ironic: Ironic, subject: Subject) -> Node:
    return await ironic.nodes.get(subject.node_name)


def test_a_host_lives_from_registration_to_removal(service: IronicService) -> None:
    async def life() -> None:
        subject = host()
        async with Ironic(service.access) as ironic:

            async def state() -> ProvisionState:
                return (await shown(ironic, subject)).status.provision_state

            await reached(ironic, Register(), subject)
            node = await shown(ironic, subject)
            assert node.uuid == subject.node_id
            assert node.status.provision_state is ProvisionState.MANAGEABLE
            assert node.driver_info["redfish_password"] == MASK
            [port] = await ironic.ports.of_node(node.uuid)
            assert (port.address, port.pxe_enabled) == (subject.boot_mac, True)
            assert await reached(ironic, Register(), subject) == []

            inspect = Inspect(mode=InspectionMode.AGENT)
            await reached(ironic, inspect, subject)
            assert (await shown(ironic, subject)).document["inspection_finished_at"]
            assert await reached(ironic, inspect, subject) == []
            assert await reached(ironic, replace(inspect, refresh=True), subject)

            await reached(ironic, Prepare(bios=BIOS), subject)
            settings = await ironic.hardware.bios_settings(node.uuid)
            assert [(one.name, one.value) for one in settings] == [("LogicalProc", "Enabled")]

            await reached(ironic, PowerOn(), subject)
            await reached(ironic, PowerOff(), subject)
            assert (await shown(ironic, subject)).status.power_state is PowerState.OFF

            await reached(ironic, deployed(subject), subject)
            node = await shown(ironic, subject)
            assert node.status.provision_state is ProvisionState.ACTIVE
            assert node.status.instance_uuid == subject.uid
            assert node.instance_info["image_source"] == IMAGE.url
            assert await reached(ironic, deployed(subject), subject) == []
            assert await reached(ironic, taken_over(subject), subject) == []

            await reached(ironic, Deprovision(), subject)
            assert await state() is ProvisionState.AVAILABLE

            await reached(ironic, taken_over(subject), subject)
            assert await state() is ProvisionState.ACTIVE

            await reached(ironic, Detach(), subject)
            assert await ironic.nodes.find(subject.node_name) is None

            await reached(ironic, taken_over(subject), subject)
            assert await state() is ProvisionState.ACTIVE
            await reached(ironic, Delete(), subject)
            assert await ironic.nodes.find(subject.node_name) is None
            assert await ironic.ports.with_address(subject.boot_mac or "") == []

    asyncio.run(life())


def test_a_running_server_comes_back_when_ironic_has_forgotten_it(service: IronicService) -> None:
    async def life() -> None:
        subject = host()
        async with Ironic(service.access) as ironic:
            await reached(ironic, deployed(subject), subject)
        service.stop()
        service.forget()
        service.start()
        async with Ironic(service.access) as ironic:
            made = await reached(ironic, taken_over(subject), subject)
            assert not [call for call in made if isinstance(call, SetPower)]
            assert [call.verb.value for call in made if isinstance(call, Ask)] == [
                "manage",
                "adopt",
            ]
            node = await shown(ironic, subject)
            assert node.status.instance_uuid == subject.uid

    asyncio.run(life())


def test_a_changed_bmc_is_written_once_with_its_password(service: IronicService) -> None:
    async def life() -> None:
        subject = host()
        async with Ironic(service.access) as ironic:
            await reached(ironic, deployed(subject), subject)
            moved = replace(subject, bmc=parse("ipmi://10.0.0.8"))
            [patch] = await reached(ironic, Register(again=True), moved)
            assert isinstance(patch, PatchNode)
            info = (await shown(ironic, subject)).driver_info
            assert info["ipmi_address"] == "10.0.0.8"
            assert not [key for key in info if key.startswith("redfish")]
            assert await reached(ironic, Register(), moved) == []

    asyncio.run(life())


def test_a_boot_address_of_another_host_is_told(service: IronicService) -> None:
    async def life() -> None:
        first = host()
        second = host(boot_mac=first.boot_mac)
        async with Ironic(service.access) as ironic:
            await reached(ironic, Register(), first)
            ended, made = await reach(ironic, Register(), second)
            assert isinstance(ended, Failed)
            assert "spec.bootMACAddress" in ended.why
            assert made == []

    asyncio.run(life())


def test_a_node_without_a_name_is_found_by_its_boot_address(service: IronicService) -> None:
    async def life() -> None:
        subject = host()
        async with Ironic(service.access) as ironic:
            stray = await ironic.nodes.create({"driver": "fake-hardware"})
            await ironic.ports.create(stray.uuid, subject.boot_mac or "", pxe_enabled=True)
            made = await reached(ironic, Register(), subject)
            assert not [call for call in made if isinstance(call, CreateNode)]
            assert (await shown(ironic, subject)).uuid == stray.uuid

    asyncio.run(life())


def test_a_host_that_must_stay_on_reboots_instead(service: IronicService) -> None:
    async def life() -> None:
        subject = host(disable_power_off=True)
        async with Ironic(service.access) as ironic:
            await reached(ironic, PowerOn(), subject)
            await reached(ironic, PowerOff(hard=True), subject)
            assert (await shown(ironic, subject)).status.power_state is PowerState.ON
            allowed = replace(subject, disable_power_off=False)
            await reached(ironic, PowerOff(hard=True), allowed)
            assert (await shown(ironic, subject)).status.power_state is PowerState.OFF

    asyncio.run(life())


def test_firmware_of_a_deployed_host_is_changed(service: IronicService) -> None:
    async def life() -> None:
        subject = host()
        async with Ironic(service.access) as ironic:
            await reached(ironic, deployed(subject), subject)
            await reached(ironic, Service(bios=BIOS), subject)
            node = await shown(ironic, subject)
            assert node.status.provision_state is ProvisionState.ACTIVE
            [setting] = await ironic.hardware.bios_settings(node.uuid)
            assert bios_values([setting]) == BIOS
            assert await reached(ironic, Service(withdrawn=True), subject) == []

    asyncio.run(life())


def test_a_preparation_that_fails_is_told_and_can_be_left_behind(service: IronicService) -> None:
    subject = host()
    mirror = SoftwareRaidVolume(level=SoftwareRaidLevel.MIRROR)
    goal = Prepare(raid=RAID(software_raid_volumes=(mirror,)))

    async def life() -> None:
        async with Ironic(service.access) as ironic:
            ended, _ = await reach(ironic, goal, subject)
            assert isinstance(ended, Failed)  # the fake RAID has no such steps
            assert "raid" in ended.why
            again, made = await reach(ironic, replace(goal, started=True, again=True), subject)
            assert again == ended
            assert [call for call in made if isinstance(call, Clean)]
            await reached(ironic, Prepare(), subject)
            await reached(ironic, deployed(subject), subject)

    asyncio.run(life())


def test_an_inspection_whose_agent_never_comes_is_ended(service: IronicService) -> None:
    subject = host()
    inspect = Inspect(mode=InspectionMode.AGENT)

    async def life() -> None:
        async with Ironic(service.access) as ironic:

            async def state() -> ProvisionState:
                return (await shown(ironic, subject)).status.provision_state

            async def waits() -> None:
                async with asyncio.timeout(WITHIN_SECONDS):
                    while await state() is not ProvisionState.INSPECT_WAIT:
                        await once(ironic, inspect, subject)

            await reached(ironic, Register(), subject)
            by_agent: Operation = {"op": "replace", "path": "/inspect_interface", "value": "agent"}
            await ironic.nodes.patch(subject.node_id, [by_agent])
            await waits()

            await once(ironic, replace(inspect, forced_reboot=True), subject)
            await waits()

            await reached(ironic, PowerOff(hard=True, abort=True), subject)
            await waits()

            await reached(ironic, Delete(force=True), subject)
            assert await ironic.nodes.find(subject.node_name) is None

    asyncio.run(life())


def test_the_model_has_the_transitions_of_the_real_state_machine(service: IronicService) -> None:
    program = (
        "import json\n"
        "from ironic.common.state_machine import machine\n"
        "print(json.dumps({state: {event: jump.name for event, jump in jumps.items()}"
        " for state, jumps in machine._transitions.items()}))\n"
    )
    done = subprocess.run(
        inside(service.root, "/usr/bin/python3", "-c", program),
        check=True, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": "/opt/ironic/lib"},
    )  # fmt: skip
    real: dict[str, dict[str, str]] = json.loads(done.stdout)
    working = {state.value for state in BY_ITSELF if not state.is_wait}
    for event, jumps in ASKED.items():
        known = {str(state): str(end) for state, end in jumps.items()}
        assert known == {
            state: ends[event]
            for state, ends in real.items()
            # While Ironic works, the node is locked; such events are its own.
            if event in ends and state not in working
        }, event
    ours = {"done", "fail", "wait", "resume", "clean"}
    for state, ends in BY_ITSELF.items():
        reachable = {end for event, end in real[state].items() if event in ours}
        assert set(map(str, ends)) <= reachable | {"available", "cleaning"}, state
