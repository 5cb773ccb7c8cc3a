"""Machines go: drained, given back, and never stuck."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ingot.kube.kind import Content
from ingot.machineapi.kinds import HOST, MACHINE, NODE, POD
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.machines.site import Site, site

DRAINED = "Drained"
RELEASED = "HostReleased"


@asynccontextmanager
async def running(
    api: KubeApi,
    namespace: str,
    *,
    spec: Content | None = None,
    **meta: Any,  # noqa: ANN401 - metadata
) -> AsyncIterator[tuple[Site, str]]:
    """Yield a site with the Machine `m` that runs on a host, and the name of host and Node."""
    async with site(api, namespace) as here:
        host = here.node_name("h")
        await here.host(host)
        await here.machine("m", spec=spec, **meta)
        await here.eventually(lambda: here.consumer(host), "m")
        await here.stands(host, "provisioned")
        await here.node(host)
        await here.eventually(lambda: here.phase("m"), "Running")
        yield here, host


async def has_image(here: Site, host: str) -> bool:
    found = await here.find(HOST, host)
    assert found is not None
    return bool(found.model.has_work)


@awaited()
async def test_a_machine_that_goes_gives_its_host_back_clean(
    machine_api: KubeApi, namespace: str
) -> None:
    async with running(machine_api, namespace) as (here, host):
        await here.pod("web", host)
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: has_image(here, host), wanted=False)
        assert await here.find(NODE, host) is None
        assert await here.find(POD, "web") is None
        await here.eventually(lambda: here.reason("m", RELEASED), "Releasing")

        found = await here.find(HOST, host)
        assert found is not None
        assert "userData" not in found.content["spec"]
        assert found.model.spec.online is False
        await here.stands(host, "deprovisioning")
        assert await here.consumer(host) == "m"
        await here.stands(host, "available")
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.consumer(host) == ""
        await here.eventually(
            lambda: here.events("m"),
            {
                "HostClaimed",
                "Provisioning",
                "Provisioned",
                "NoNode",
                "NodeLinked",
                "Draining",
                "Drained",
                "NodeDeleted",
                "Releasing",
                "HostReleased",
            },
        )


@awaited()
async def test_a_host_that_was_given_back_is_taken_by_the_next(
    machine_api: KubeApi, namespace: str
) -> None:
    async with running(machine_api, namespace) as (here, host):
        await here.machine("next")
        await here.eventually(lambda: here.reason("next", "HostClaimed"), "NoFreeHost")
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: has_image(here, host), wanted=False)
        await here.stands(host, "available")
        await here.eventually(lambda: here.consumer(host), "next")
        await here.eventually(lambda: here.phase("m"), "gone")


@awaited()
async def test_a_drain_waits_for_a_disruption_budget(machine_api: KubeApi, namespace: str) -> None:
    async with running(machine_api, namespace) as (here, host):
        await here.pod("web", host, app="web")
        await here.pod("free", host)
        await here.budget("keeps-web", 0, app="web")
        await here.client.delete(MACHINE, here.key("m"))

        async def told() -> str:
            found = await here.said("m", DRAINED)
            return found.message if found else ""

        await here.eventually(
            told,
            f"1 pod is left on Node {host}: {namespace}/web"
            " (its PodDisruptionBudget allows no eviction now)",
        )
        node = await here.find(NODE, host)
        assert node is not None
        assert node.model.spec.unschedulable
        assert await has_image(here, host)
        assert await here.find(POD, "free") is None

        await here.allow("keeps-web", 1)
        await here.eventually(lambda: has_image(here, host), wanted=False)
        assert await here.find(POD, "web") is None


@awaited()
async def test_a_drain_that_takes_too_long_is_told_and_the_node_stays_until_its_host_is_clean(
    machine_api: KubeApi, namespace: str
) -> None:
    async with running(machine_api, namespace) as (here, host):
        await here.pod("web", host, app="web")
        await here.budget("keeps-web", 0, app="web")
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: here.reason("m", DRAINED), "Draining")
        here.clock.move(601)
        await here.eventually(lambda: here.reason("m", DRAINED), "DrainTimedOut")
        await here.eventually(lambda: has_image(here, host), wanted=False)
        assert await here.find(NODE, host) is not None
        await here.stands(host, "available")
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.find(NODE, host) is None


@awaited()
async def test_a_machine_that_is_not_to_be_drained_is_not(
    machine_api: KubeApi, namespace: str
) -> None:
    note = {"machine.openshift.io/exclude-node-draining": ""}
    async with running(machine_api, namespace, annotations=note) as (here, host):
        await here.pod("web", host)
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: has_image(here, host), wanted=False)
        assert await here.find(POD, "web") is not None
        await here.stands(host, "available")
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.find(NODE, host) is None


@awaited()
async def test_a_machine_that_is_deleted_while_its_host_is_provisioned_lets_it_be_cleaned(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.host("h")
        await here.machine("m")
        await here.eventually(lambda: here.consumer("h"), "m")
        await here.stands("h", "provisioning")
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: has_image(here, "h"), wanted=False)
        assert await here.consumer("h") == "m"
        await here.stands("h", "deprovisioning")
        await here.stands("h", "available")
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.consumer("h") == ""


@awaited()
async def test_a_machine_that_waits_for_a_host_goes_at_once(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.machine("m")
        await here.eventually(lambda: here.reason("m", "HostClaimed"), "NoMatchingHost")
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: here.phase("m"), "gone")


@awaited()
async def test_a_dead_bmc_is_told_of_and_keeps_no_machine_for_ever(
    machine_api: KubeApi, namespace: str
) -> None:
    async with running(machine_api, namespace) as (here, host):
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: has_image(here, host), wanted=False)
        await here.stands(host, "deprovisioning", errorMessage="the BMC does not answer")
        await here.eventually(lambda: here.reason("m", RELEASED), "HostError")
        found = await here.said("m", RELEASED)
        assert found is not None
        assert "the BMC does not answer" in found.message

        here.clock.move(1801)
        await here.eventually(lambda: here.phase("m"), "gone")
        await here.eventually(lambda: here.events(host), {"HostNotReleased"})
        assert await here.consumer(host) == ""

        # Nobody gets it before it is clean, and then somebody does.
        await here.machine("next")
        await here.eventually(lambda: here.reason("next", "HostClaimed"), "NoFreeHost")
        await here.stands(host, "available")
        await here.eventually(lambda: here.consumer(host), "next")


@awaited()
async def test_a_machine_whose_host_is_deleted_as_well_goes_when_the_host_is_gone(
    machine_api: KubeApi, namespace: str
) -> None:
    async with running(machine_api, namespace) as (here, host):
        await here.change(HOST, host, metadata={"finalizers": ["test.ingot.dev/held"]})
        await here.client.delete(HOST, here.key(host))
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: here.reason("m", RELEASED), "Releasing")
        await here.change(HOST, host, metadata={"finalizers": []})
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.find(NODE, host) is None


@pytest.mark.parametrize(
    ("stage", "kept"), [("preDrain", "Drainable"), ("preTerminate", "Terminable")]
)
def test_a_hook_holds_a_machine_until_it_is_removed(
    machine_api: KubeApi, namespace: str, stage: str, kept: str
) -> None:
    @awaited()
    async def held() -> None:
        hooks = {"lifecycleHooks": {stage: [{"name": "etcd", "owner": "healing"}]}}
        async with running(machine_api, namespace, spec=hooks) as (here, host):
            await here.client.delete(MACHINE, here.key("m"))
            await here.eventually(lambda: here.reason("m", kept), "HookPresent")
            assert await has_image(here, host)
            await here.change(MACHINE, "m", spec={"lifecycleHooks": {stage: []}})
            await here.eventually(lambda: has_image(here, host), wanted=False)

    held()


@awaited()
async def test_a_node_that_comes_back_while_its_host_is_cleaned_is_deleted_again(
    machine_api: KubeApi, namespace: str
) -> None:
    async with running(machine_api, namespace) as (here, host):
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: has_image(here, host), wanted=False)
        await here.node(host)  # its kubelet was started once more
        await here.eventually(lambda: here.find(NODE, host), None)
        await here.stands(host, "available")
        await here.eventually(lambda: here.phase("m"), "gone")
