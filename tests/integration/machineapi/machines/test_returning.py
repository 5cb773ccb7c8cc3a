"""Machines go: drained, given back, and never stuck."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest

from ingot.kube.kind import Content
from ingot.machineapi.etcd import MemberSeen
from ingot.machineapi.kinds import HOST, MACHINE, NODE, POD
from ingot.machineapi.machines.room import MachineRoom
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.machines.site import Site, site
from tests.integration.machineapi.members import Members

DRAINED = "Drained"
RELEASED = "HostReleased"
UNSEATED = "EtcdMemberRemoved"
MASTER = {"machine.openshift.io/cluster-api-machine-role": "master"}


@asynccontextmanager
async def running(
    api: KubeApi,
    namespace: str,
    *,
    spec: Content | None = None,
    etcd: Members | None = None,
    **meta: Any,  # noqa: ANN401 - metadata
) -> AsyncIterator[tuple[Site, str]]:
    """Yield a site with the Machine `m` that runs on a host, and the name of host and Node."""
    rooms = [partial(MachineRoom, etcd=etcd)]
    async with site(api, namespace, rooms=rooms) as here:
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


@asynccontextmanager
async def silent(api: KubeApi, namespace: str) -> AsyncIterator[tuple[Site, str]]:
    """Yield a site whose Machine is to go, with a Node that is silent; its host is cleared."""
    async with running(api, namespace) as (here, host):
        await here.pod("db", host, grace=30)
        await here.kubelet(host, ready=False)
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: here.reason("m", DRAINED), "Draining")
        here.clock.move(60)  # the pod's time is over, and nobody says that it has ended
        await here.eventually(lambda: here.reason("m", DRAINED), "NodeNotReady")
        await here.eventually(lambda: has_image(here, host), wanted=False)
        yield here, host


@awaited()
async def test_a_node_that_is_not_ready_stays_until_its_server_is_off(
    machine_api: KubeApi, namespace: str
) -> None:
    async with silent(machine_api, namespace) as (here, host):
        await here.stands(host, "deprovisioning")
        await here.eventually(lambda: here.reason("m", RELEASED), "Releasing")
        assert await here.find(NODE, host) is not None
        assert await here.find(POD, "db") is not None
        await here.stands(host, "available")
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.find(NODE, host) is None


@awaited()
async def test_a_node_that_is_not_ready_and_whose_bmc_is_dead_stays_until_its_host_is_given_up(
    machine_api: KubeApi, namespace: str
) -> None:
    async with silent(machine_api, namespace) as (here, host):
        await here.stands(host, "deprovisioning", errorMessage="the BMC does not answer")
        await here.eventually(lambda: here.reason("m", RELEASED), "HostError")
        assert await here.find(NODE, host) is not None
        here.clock.move(1801)
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.find(NODE, host) is None
        await here.eventually(lambda: here.events(host), {"HostNotReleased"})


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


def member(name: str, *, healthy: bool = True) -> MemberSeen:
    return MemberSeen(number=name, name=name, healthy=healthy)


@awaited()
async def test_a_control_plane_machine_stays_while_etcd_needs_it_and_then_leaves_etcd_first(
    machine_api: KubeApi, namespace: str
) -> None:
    etcd = Members()
    async with running(machine_api, namespace, etcd=etcd, labels=MASTER) as (here, host):
        etcd.members_ += [member(host), member("b", healthy=False), member("c")]
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: here.reason("m", UNSEATED), "EtcdQuorumAtRisk")
        here.clock.move(7200)
        found = await here.said("m", UNSEATED)
        assert found is not None
        assert "2 are needed" in found.message
        assert await has_image(here, host)
        assert await here.find(NODE, host) is not None
        await here.eventually(
            lambda: _is_in(here, "EtcdQuorumAtRisk"),
            wanted=True,
        )

        etcd.members_[1] = member("b")
        await here.eventually(lambda: has_image(here, host), wanted=False)
        assert etcd.names == ["b", "c"]
        assert await here.reason("m", UNSEATED) == "EtcdMemberRemoved"
        await here.stands(host, "available")
        await here.eventually(lambda: here.phase("m"), "gone")


@awaited()
async def test_a_control_plane_machine_whose_member_is_gone_already_goes_on(
    machine_api: KubeApi, namespace: str
) -> None:
    etcd = Members([member("b"), member("c")])
    note = {"machine.openshift.io/exclude-node-draining": ""}  # as healing replaces one
    async with running(machine_api, namespace, etcd=etcd, labels=MASTER, annotations=note) as (
        here,
        host,
    ):
        await here.kubelet(host, ready=False)
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: has_image(here, host), wanted=False)
        assert await here.reason("m", UNSEATED) == "NoEtcdMember"
        assert etcd.names == ["b", "c"]
        await here.stands(host, "available")
        await here.eventually(lambda: here.phase("m"), "gone")
        assert await here.find(NODE, host) is None


@awaited()
async def test_of_two_control_plane_machines_that_are_deleted_at_once_one_stays(
    machine_api: KubeApi, namespace: str
) -> None:
    etcd = Members()
    async with running(machine_api, namespace, etcd=etcd, labels=MASTER) as (here, host):
        other = here.node_name("i")
        await here.host(other)
        await here.machine("n", labels=MASTER)
        await here.eventually(lambda: here.consumer(other), "n")
        await here.stands(other, "provisioned")
        etcd.members_ += [member(host), member(other), member("c")]
        for name in ("m", "n"):
            await here.client.delete(MACHINE, here.key(name))

        async def reasons() -> set[str]:
            return {await here.reason(name, UNSEATED) for name in ("m", "n")}

        await here.eventually(reasons, {"EtcdMemberRemoved", "EtcdQuorumAtRisk"})
        assert len(etcd.names) == 2
        images = {await has_image(here, name) for name in (host, other)}
        assert True in images


@awaited()
async def test_a_control_plane_machine_that_never_had_a_host_asks_no_etcd(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:  # where etcd cannot be asked
        await here.machine("m", labels=MASTER)
        await here.eventually(lambda: here.reason("m", "HostClaimed"), "NoMatchingHost")
        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: here.phase("m"), "gone")


async def _is_in(here: Site, reason: str) -> bool:
    return reason in await here.events("m")
