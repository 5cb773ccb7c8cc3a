"""Machines that are being healed on a real API server, and the parts that a test plays in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Any

from ingot.kube.kind import Content, ObjectKey
from ingot.machineapi.etcd import MemberSeen
from ingot.machineapi.healing.checks import CheckRoom
from ingot.machineapi.healing.emptiness import PODS
from ingot.machineapi.healing.healings import HealingRoom
from ingot.machineapi.healing.hold import HOLD
from ingot.machineapi.healing.kinds import HEALTH_CHECK
from ingot.machineapi.healing.record import Healing, Phase
from ingot.machineapi.kinds import HOST, MACHINE
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.clinic import Clinic, clinic
from tests.integration.machineapi.members import Members

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
MASTER = {"machine.openshift.io/cluster-api-machine-role": "master"}
SPARE = {"installer.openshift.io/role": "control-plane"}


def members(*, sick: Collection[int]) -> Members:
    """Return three members, of which some are sick."""
    return Members(
        [
            MemberSeen(number=str(number), name=f"cp-{number}", healthy=number not in sick)
            for number in range(3)
        ]
    )


async def check(at: Clinic, **spec: Any) -> None:  # noqa: ANN401 - any field of the spec
    """Watch over all Machines: a Node may be silent for no time at all."""
    silent = [{"type": "Ready", "status": "Unknown", "timeout": "0"}]
    body = {"selector": {}, "unhealthyConditions": silent, **spec}
    meta = {"name": "all", "namespace": at.namespace}
    await at.client.create(HEALTH_CHECK, {"metadata": meta, "spec": body})


@asynccontextmanager
async def watched_over(api: KubeApi, etcd: Members | None = None) -> AsyncIterator[Clinic]:
    """Run all controllers of healing in a namespace of its own."""
    async with clinic(api) as at, at.running(CheckRoom, partial(HealingRoom, etcd=etcd)):
        yield at


def held(host: Content) -> bool:
    return HOLD in host["metadata"].get("annotations", {})


def tainted(node: Content) -> bool:
    return any(one["key"] == OUT_OF_SERVICE for one in node["spec"].get("taints", ()))


def is_in(phase: Phase) -> Callable[[Content], bool]:
    def looked(machine: Content) -> bool:
        found = healing_of(machine)
        return found is not None and found.phase is phase

    return looked


def healing_of(machine: Content) -> Healing | None:
    return Healing.of(machine["metadata"].get("annotations", {})) if machine else None


async def a_pod(at: Clinic, name: str, node: str) -> ObjectKey:
    """Have a pod on a Node, which goes at once when told."""
    spec = {
        "nodeName": node,
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "c", "image": "i"}],
    }
    meta = {"name": name, "namespace": at.namespace}
    await at.client.create(PODS, {"metadata": meta, "spec": spec})
    return at.key(name)


async def turned_off(at: Clinic, name: str) -> None:
    """Wait for a server to be held off, and have it off."""
    await at.becomes(HOST, name, held)
    await at.becomes(MACHINE, name, lambda one: bool((found := healing_of(one)) and found.seen_on))
    await at.power(name, on=False)


async def never_comes_back(at: Clinic, name: str) -> None:
    """Have a server turned off and on, and let its time pass without a sign of its Node."""
    await turned_off(at, name)
    await at.becomes(MACHINE, name, is_in(Phase.STARTING))
    await at.becomes(HOST, name, lambda one: not held(one))
    await at.power(name, on=True)
    at.clock.ahead += timedelta(hours=1)
    await at.touch(name)


async def events_of(at: Clinic, name: str) -> list[str]:
    return [reason for reason, _, about in await at.events() if about == name]


async def told(at: Clinic, name: str, reason: str, part: str) -> None:
    """Wait for an event."""
    async with asyncio.timeout(40):
        while not any(  # noqa: ASYNC110 - a look is no event
            about == name and why == reason and part in message
            for why, message, about in await at.events()
        ):
            await asyncio.sleep(0.05)
