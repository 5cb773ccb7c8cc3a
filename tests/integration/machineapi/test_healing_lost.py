"""Machines that have lost their host, on a real API server."""

from __future__ import annotations

from datetime import timedelta

from ingot.kube.client import Selection
from ingot.kube.kind import Content
from ingot.machineapi import annotation
from ingot.machineapi.healing.checks import CheckRoom
from ingot.machineapi.healing.healings import HealingRoom
from ingot.machineapi.healing.kinds import HEALTH_CHECK
from ingot.machineapi.kinds import HOST, MACHINE, MACHINE_SET
from ingot.machineapi.machines.room import MachineRoom
from ingot.machineapi.machinesets.room import MachineSetRoom
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.clinic import ROLE, Clinic, clinic, stamp
from tests.integration.machineapi.ward import check, healing_of, held, told, watched_over

IMAGE = {"url": "http://image", "checksum": "1"}


@awaited()
async def test_a_machine_whose_host_is_deleted_goes_and_its_set_makes_another(
    machine_kube: KubeApi,
) -> None:
    async with clinic(machine_kube) as at:
        await at.machine("bereft", joined=False)
        await _a_set(at)
        await check(at, maxUnhealthy="40%")
        async with at.running(MachineRoom, MachineSetRoom, CheckRoom, HealingRoom):
            await at.becomes(MACHINE, "bereft", lambda one: bool(one["spec"].get("providerID")))
            await at.becomes(MACHINE, "bereft", lambda one: bool(_owners(one)))
            await at.client.delete(HOST, at.key("bereft"))
            failed = await at.becomes(
                MACHINE, "bereft", lambda one: one["status"].get("errorReason") == "HostGone"
            )
            assert "deletionTimestamp" not in failed["metadata"], "it is seen for a while"
            await at.becomes(
                HEALTH_CHECK, "all", lambda one: one.get("status", {}).get("currentHealthy") == 0
            )
            assert await at.get(MACHINE, "bereft"), "its host may be back in a moment"
            at.clock.ahead += timedelta(minutes=3)
            await at.touch("bereft")
            await at.becomes(MACHINE, "bereft", lambda one: not one)
            await told(at, "bereft", "Replaced", "its MachineSet makes another")
            await at.becomes(MACHINE_SET, "workers", lambda one: one["status"]["replicas"] == 1)
            (made,) = (await at.client.list(MACHINE, Selection(at.namespace))).objects
            assert made.key.name.startswith("workers-")


@awaited()
async def test_a_dead_worker_is_healed_beside_one_that_has_no_host(machine_kube: KubeApi) -> None:
    async with watched_over(machine_kube) as at:
        for name in ("ailing", "mistaken"):
            await at.machine(name, owned=True)
        await _loses_its_host(at, "mistaken", "InvalidConfiguration")
        await at.node("ailing", ready="Unknown", boot="first")
        await check(at, maxUnhealthy="40%")
        await at.becomes(HOST, "ailing", held)
        found = await at.becomes(
            HEALTH_CHECK, "all", lambda one: one.get("status", {}).get("healing") == ["ailing"]
        )
        assert found["status"]["currentHealthy"] == 0
        assert [one["status"] for one in found["status"]["conditions"]] == ["True"]
        await told(at, "mistaken", "NotHealed", "it has failed: InvalidConfiguration")
        kept = await at.get(MACHINE, "mistaken")
        assert kept, "its set would make the same mistake again"
        assert "deletionTimestamp" not in kept["metadata"]


@awaited()
async def test_when_too_many_hosts_are_gone_no_machine_goes_and_said_why(
    machine_kube: KubeApi,
) -> None:
    async with watched_over(machine_kube) as at:
        for name in ("gone-1", "gone-2"):
            await at.machine(name, owned=True)
            await _loses_its_host(at, name, "HostGone")
        await check(at, maxUnhealthy="40%")
        await told(at, "gone-1", "NotHealed", "2 of 2 Machines have lost their host")
        for name in ("gone-1", "gone-2"):
            assert healing_of(found := await at.get(MACHINE, name)) is None
            assert found


async def _a_set(at: Clinic) -> None:
    """Have a set of one Machine, which takes those in that fit."""
    template = {
        "metadata": {"labels": ROLE},
        "spec": {"providerSpec": {"value": {"image": IMAGE}}},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": ROLE}, "template": template}
    meta = {"name": "workers", "namespace": at.namespace}
    await at.client.create(MACHINE_SET, {"metadata": meta, "spec": spec})


async def _loses_its_host(at: Clinic, name: str, reason: str) -> None:
    """Write what the controller of Machines would, of one that never became a Node."""
    await at.client.delete(HOST, at.key(name))
    long_ago = stamp(at.clock() - timedelta(hours=1))
    claimed = {"type": "HostClaimed", "status": "False", "lastTransitionTime": long_ago}
    status = {
        "phase": "Failed",
        "errorReason": reason,
        "nodeRef": None,
        "conditions": [claimed],
    }
    change: Content = {"status": status}
    await at.client.patch(MACHINE, at.key(name), change, subresource="status")
    forgets = {"metadata": {"annotations": {annotation.HOST: None}}}
    await at.client.patch(MACHINE, at.key(name), forgets)


def _owners(machine: Content) -> list[Content]:
    found: list[Content] = machine["metadata"].get("ownerReferences", [])
    return found
