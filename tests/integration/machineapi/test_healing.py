"""Healing on a real API server; the test plays the host operator, kubelets and who clears pods."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ingot.kube.errors import Invalid
from ingot.machineapi import annotation
from ingot.machineapi.healing.checks import CheckRoom
from ingot.machineapi.healing.emptiness import PODS
from ingot.machineapi.healing.healings import HealingRoom
from ingot.machineapi.healing.kinds import HEALTH_CHECK
from ingot.machineapi.healing.record import Phase
from ingot.machineapi.kinds import HOST, MACHINE, NODE
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.clinic import clinic
from tests.integration.machineapi.ward import (
    a_pod,
    check,
    events_of,
    healing_of,
    held,
    is_in,
    never_comes_back,
    tainted,
    turned_off,
    watched_over,
)


@awaited()
async def test_a_silent_machine_is_turned_off_emptied_and_turned_on(machine_kube: KubeApi) -> None:
    async with watched_over(machine_kube) as at:
        await at.machine("cured")
        pod = await a_pod(at, "pod", "cured")
        await check(at)
        await at.node("cured", ready="Unknown", boot="first")
        await at.becomes(HOST, "cured", held)
        assert not tainted(await at.get(NODE, "cured")), "its server may be running"
        await turned_off(at, "cured")
        await at.becomes(NODE, "cured", tainted)
        assert held(await at.get(HOST, "cured")), "its pod is still there"
        await at.client.delete(PODS, pod)
        await at.becomes(HOST, "cured", lambda one: not held(one))
        assert tainted(await at.get(NODE, "cured")), "it has not come back yet"
        await at.power("cured", on=True)
        await at.node("cured", ready="True", boot="second")
        await at.becomes(MACHINE, "cured", lambda one: healing_of(one) is None)
        assert not tainted(await at.get(NODE, "cured"))
        await at.becomes(HEALTH_CHECK, "all", lambda one: one["status"]["currentHealthy"] == 1)
        assert {"HealingBegun", "Healing", "Healed"} <= set(await events_of(at, "cured"))


@awaited()
async def test_a_new_leader_goes_on_where_the_last_one_was(machine_kube: KubeApi) -> None:
    async with clinic(machine_kube) as at:
        await at.machine("handed-on")
        await check(at)
        await at.node("handed-on", ready="Unknown", boot="first")
        async with at.running(CheckRoom, HealingRoom):
            await at.becomes(HOST, "handed-on", held)
        await at.power("handed-on", on=False)
        async with at.running(CheckRoom, HealingRoom):
            at.clock.ahead += timedelta(seconds=100)
            await at.touch("handed-on")
            await at.becomes(MACHINE, "handed-on", is_in(Phase.STARTING))
            await at.power("handed-on", on=True)
            await at.node("handed-on", ready="True", boot="second")
            await at.becomes(MACHINE, "handed-on", lambda one: healing_of(one) is None)


@awaited()
async def test_when_too_many_are_sick_nothing_is_begun_and_said_why(machine_kube: KubeApi) -> None:
    async with watched_over(machine_kube) as at:
        for name in ("many-1", "many-2", "many-3"):
            await at.machine(name)
        for name in ("many-1", "many-2"):
            await at.node(name, ready="Unknown", boot="first")
        await check(at, maxUnhealthy="40%")
        found = await at.becomes(
            HEALTH_CHECK, "all", lambda one: one.get("status", {}).get("expectedMachines") == 3
        )
        assert found["status"]["currentHealthy"] == 1
        assert found["status"]["remediationsAllowed"] == 0
        (condition,) = found["status"]["conditions"]
        assert (condition["type"], condition["status"]) == ("RemediationAllowed", "False")
        assert condition["reason"] == "TooManyUnhealthy"
        for name in ("many-1", "many-2"):
            assert healing_of(await at.get(MACHINE, name)) is None
        await at.node("many-2", ready="True", boot="first")
        await at.becomes(HOST, "many-1", held)


@awaited()
async def test_a_selector_that_cannot_be_used_is_told_of(machine_kube: KubeApi) -> None:
    async with watched_over(machine_kube) as at:
        await check(at, selector={"matchExpressions": [{"key": "a", "operator": "Sometimes"}]})
        found = await at.becomes(
            HEALTH_CHECK, "all", lambda one: bool(one.get("status", {}).get("conditions"))
        )
        (condition,) = found["status"]["conditions"]
        assert (condition["status"], condition["reason"]) == ("False", "InvalidSelector")
        assert "Sometimes" in condition["message"]


@awaited()
async def test_one_is_healed_after_the_other(machine_kube: KubeApi) -> None:
    async with watched_over(machine_kube) as at:
        for name in ("turn-1", "turn-2"):
            await at.machine(name)
            await at.node(name, ready="Unknown", boot="first")
        await check(at)
        await at.becomes(HOST, "turn-1", held)
        found = await at.becomes(
            HEALTH_CHECK, "all", lambda one: bool(one.get("status", {}).get("healing"))
        )
        assert found["status"]["healing"] == ["turn-1"]
        assert found["status"]["currentHealthy"] == 0
        await turned_off(at, "turn-1")
        await at.becomes(MACHINE, "turn-1", is_in(Phase.STARTING))
        assert not held(await at.get(HOST, "turn-2"))
        await at.power("turn-1", on=True)
        await at.node("turn-1", ready="True", boot="second")
        await at.becomes(HOST, "turn-2", held)


@awaited()
async def test_while_a_check_is_paused_it_only_looks(machine_kube: KubeApi) -> None:
    async with watched_over(machine_kube) as at:
        await at.machine("paused")
        await at.node("paused", ready="Unknown", boot="first")
        spec = {
            "selector": {},
            "unhealthyConditions": [{"type": "Ready", "status": "Unknown", "timeout": "0"}],
        }
        meta = {
            "name": "all",
            "namespace": at.namespace,
            "annotations": {"cluster.x-k8s.io/paused": ""},
        }
        await at.client.create(HEALTH_CHECK, {"metadata": meta, "spec": spec})
        await at.becomes(
            HEALTH_CHECK, "all", lambda one: one.get("status", {}).get("currentHealthy") == 0
        )
        assert healing_of(await at.get(MACHINE, "paused")) is None
        resumed = {"metadata": {"annotations": {"cluster.x-k8s.io/paused": None}}}
        await at.client.patch(HEALTH_CHECK, at.key("all"), resumed)
        await at.becomes(HOST, "paused", held)


@awaited()
async def test_a_healing_is_brought_to_its_end_though_its_check_is_deleted(
    machine_kube: KubeApi,
) -> None:
    async with watched_over(machine_kube) as at:
        await at.machine("orphan")
        await check(at)
        await at.node("orphan", ready="Unknown", boot="first")
        await at.becomes(HOST, "orphan", held)
        await at.client.delete(HEALTH_CHECK, at.key("all"))
        await turned_off(at, "orphan")
        await at.becomes(HOST, "orphan", lambda one: not held(one))
        await at.power("orphan", on=True)
        await at.node("orphan", ready="True", boot="second")
        await at.becomes(MACHINE, "orphan", lambda one: healing_of(one) is None)


@awaited()
async def test_a_machine_that_does_not_come_back_goes_and_its_host_is_kept_out(
    machine_kube: KubeApi,
) -> None:
    async with watched_over(machine_kube) as at:
        await at.machine("dead", owned=True)
        await at.client.patch(
            MACHINE, at.key("dead"), {"metadata": {"finalizers": [annotation.FINALIZER]}}
        )
        await check(at)
        await at.node("dead", ready="Unknown", boot="first")
        await never_comes_back(at, "dead")
        await turned_off(at, "dead")
        found = await at.becomes(
            MACHINE, "dead", lambda one: "deletionTimestamp" in one["metadata"]
        )
        assert annotation.EXCLUDE_DRAINING in found["metadata"]["annotations"]
        host = await at.get(HOST, "dead")
        assert annotation.HOST_UNHEALTHY[0] in host["metadata"]["annotations"]
        assert held(host), "it stays off until it is given back"
        await at.client.patch(HOST, at.key("dead"), {"spec": {"image": None}})
        await at.becomes(HOST, "dead", lambda one: not held(one))


@awaited()
async def test_a_host_is_let_go_though_its_machine_went_without_a_word(
    machine_kube: KubeApi,
) -> None:
    async with watched_over(machine_kube) as at:
        await at.machine("vanished")
        await check(at)
        await at.node("vanished", ready="Unknown", boot="first")
        await at.becomes(HOST, "vanished", held)
        await at.client.delete(MACHINE, at.key("vanished"))
        await at.becomes(HOST, "vanished", lambda one: not held(one))


@pytest.mark.parametrize(
    "spec",
    [
        {"maxUnhealthy": "lots"},
        {"maxUnhealthy": "101%"},
        {"nodeStartupTimeout": "soon"},
        {"unhealthyConditions": []},
        {"unhealthyConditions": [{"type": "Ready", "status": "Maybe", "timeout": "5m"}]},
        {"powerCycle": {"retryLimit": 0}},
        {"powerCycle": {"atOnce": -1}},
    ],
)
def test_a_check_that_makes_no_sense_is_refused(
    machine_kube: KubeApi, spec: dict[str, object]
) -> None:
    @awaited()
    async def refused() -> None:
        async with clinic(machine_kube) as at:
            with pytest.raises(Invalid):
                await check(at, **spec)

    refused()
