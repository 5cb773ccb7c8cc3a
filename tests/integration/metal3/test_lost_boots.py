"""Boots that never reach their agent, ended and begun anew in a real Ironic by nothing but goals.

The servers do not exist, but Ironic cleans and services them through an agent, which never comes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ingot.ironic.client import Ironic
from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.node import Node
from ingot.ironic.states import PowerState, ProvisionState
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.finding import find
from ingot.metal3.node.goal import (
    Delete,
    Deprovision,
    Goal,
    Inspect,
    Prepare,
    Provision,
    Register,
    Service,
)
from ingot.metal3.node.performing import perform
from ingot.metal3.node.progress import Act
from ingot.metal3.node.situation import boots_ramdisk, was_aborted
from ingot.metal3.node.subject import Subject
from tests.integration.ironic.root import unpacked_root
from tests.integration.ironic.service import Service as IronicService
from tests.integration.ironic.service import fake_conf, running
from tests.integration.metal3.test_node_life import (
    BIOS,
    deployed,
    host,
    reached,
    taken_over,
)
from tests.ports import free_port

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

S = ProvisionState
WITHIN_SECONDS = 300.0
"""Each takes a second or two; a machine may have much else to do."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IronicService]:
    root = unpacked_root(tmp_path_factory.mktemp("metal3"))
    agent = replace(Interfaces.fake(), deploy=("direct", "fake"), default_deploy="direct")
    conf = replace(fake_conf(free_port()), interfaces=agent)
    with running(root, tmp_path_factory.mktemp("ironic"), conf) as started:
        yield started


async def pursued(ironic: Ironic, goal: Goal, subject: Subject, until: ProvisionState) -> Node:
    """Make the calls of a goal until its node rests in a state."""
    async with asyncio.timeout(WITHIN_SECONDS):
        while True:
            found = await find(ironic, subject)
            node = found.node
            if (
                node is not None
                and node.status.provision_state is until
                and not node.status.reservation
            ):
                return node
            progress = advance(goal, subject, node, ports=found.ports)
            for call in progress.calls if isinstance(progress, Act) else ():
                await perform(ironic, call)
            await asyncio.sleep(0.1)


GOALS: dict[str, Goal] = {
    "an inspection": Inspect(mode=InspectionMode.AGENT, forced_reboot=True),
    "a preparation": Prepare(bios=BIOS, started=True, forced_reboot=True),
    "a deployment": Provision(instance_uuid="", forced_reboot=True),
    "a deprovisioning": Deprovision(forced_reboot=True),
}


@pytest.mark.parametrize("name", GOALS)
def test_automated_cleaning_whose_agent_never_comes_is_ended(
    service: IronicService, name: str
) -> None:
    goal, subject = GOALS[name], host()
    if isinstance(goal, Provision):
        goal = replace(deployed(subject), forced_reboot=True)

    async def story() -> None:
        async with Ironic(service.access) as ironic:
            await reached(ironic, Register(), subject)
            cleaned = await pursued(ironic, deployed(subject), subject, S.CLEAN_WAIT)
            assert cleaned.status.target_provision_state == S.AVAILABLE
            assert cleaned.document["clean_step"] == {}
            assert boots_ramdisk(cleaned)

            ended = await pursued(ironic, goal, subject, S.CLEAN_FAILED)
            assert was_aborted(ended)
            assert "aborted" in (ended.status.last_error or "")
            assert not ended.status.maintenance
            assert ended.status.power_state is PowerState.OFF

            await pursued(ironic, goal, subject, S.MANAGEABLE)
            await reached(ironic, Delete(force=True), subject)

    asyncio.run(story())


def test_cleaning_before_a_deployment_starts_over_by_itself(service: IronicService) -> None:
    subject = host()

    async def story() -> None:
        async with Ironic(service.access) as ironic:
            goal = deployed(subject)
            first = await pursued(ironic, goal, subject, S.CLEAN_WAIT)
            await pursued(ironic, replace(goal, forced_reboot=True), subject, S.CLEAN_FAILED)
            second = await pursued(ironic, goal, subject, S.CLEAN_WAIT)
            assert boots_ramdisk(second)
            booted = [
                str(node.driver_internal_info["last_power_state_change"])
                for node in (first, second)
            ]
            assert booted[0] < booted[1]
            await reached(ironic, Delete(force=True), subject)

    asyncio.run(story())


def test_a_service_whose_agent_never_comes_is_begun_anew(service: IronicService) -> None:
    subject = host()

    async def story() -> None:
        async with Ironic(service.access) as ironic:
            await reached(ironic, taken_over(subject), subject)
            goal = Service(bios=BIOS)
            first = await pursued(ironic, goal, subject, S.SERVICE_WAIT)
            assert boots_ramdisk(first)
            anew = replace(goal, started=True, forced_reboot=True)
            ended = await pursued(ironic, anew, subject, S.ACTIVE)
            assert was_aborted(ended)
            second = await pursued(ironic, anew, subject, S.SERVICE_WAIT)
            assert boots_ramdisk(second)
            await reached(ironic, Delete(force=True), subject)

    asyncio.run(story())
