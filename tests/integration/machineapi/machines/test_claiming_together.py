"""Several who claim hosts at the same time, or with an old view: each host and Machine has one."""

from __future__ import annotations

import asyncio

import pytest

from ingot.kube.errors import Conflict
from ingot.machineapi.kinds import HOST
from ingot.machineapi.machines.claiming import Claimed, Claims
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.machines.site import IMAGE, site, snapshot

CLAIMED = "HostClaimed"
EXISTS = "InstanceExists"


@awaited()
async def test_ten_machines_at_once_share_five_hosts_without_a_quarrel(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await asyncio.gather(*(here.host(f"host-{number}") for number in range(5)))
        names = [f"m-{number}" for number in range(10)]
        await asyncio.gather(*(here.machine(name) for name in names))

        async def reasons() -> dict[str, int]:
            told = [await here.reason(name, CLAIMED) for name in names]
            return {reason: told.count(reason) for reason in set(told)}

        await here.eventually(reasons, {"HostClaimed": 5, "NoFreeHost": 5})
        consumers = [await here.consumer(f"host-{number}") for number in range(5)]
        assert len(set(consumers)) == 5
        named = {
            one.metadata.annotations["metal3.io/BareMetalHost"]: one.key.name
            for one in await here.machines()
            if "metal3.io/BareMetalHost" in one.metadata.annotations
        }
        pairs = {f"{namespace}/host-{number}": consumers[number] for number in range(5)}
        assert named == pairs


@awaited()
async def test_a_view_that_is_old_takes_nothing_from_others(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, rooms=()) as here:
        for name in ("host-0", "host-1"):
            await here.host(name)
        for name in ("m-0", "m-1"):
            await here.machine(name)
        async with snapshot(machine_api, namespace) as old, snapshot(machine_api, namespace) as new:
            first, second = here.key("m-0"), here.key("m-1")
            machine = new.machines.store.get(first)
            assert machine is not None
            taken = await Claims(new).host_of(machine)
            assert isinstance(taken, Claimed)
            assert taken.host.key.name == "host-0"

            stale = old.machines.store.get(second)
            assert stale is not None
            other = await Claims(old).host_of(stale)
            assert isinstance(other, Claimed)
            assert other.host.key.name == "host-1"
        assert [await here.consumer(name) for name in ("host-0", "host-1")] == ["m-0", "m-1"]


@awaited()
async def test_a_former_leader_with_an_old_view_gives_no_machine_a_second_host(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, rooms=()) as here:
        for name in ("host-0", "host-1"):
            await here.host(name)
        await here.machine("m")
        async with snapshot(machine_api, namespace) as old, snapshot(machine_api, namespace) as new:
            seen = [parts.machines.store.get(here.key("m")) for parts in (new, old)]
            assert seen[0] is not None
            assert seen[1] is not None
            assert isinstance(await Claims(new).host_of(seen[0]), Claimed)
            await here.change(HOST, "host-0", spec={"online": False})  # a later version still
            with pytest.raises(Conflict):
                await Claims(old).host_of(seen[1])
        assert [await here.consumer(name) for name in ("host-0", "host-1")] == ["m", ""]


@awaited()
async def test_two_who_act_for_the_same_machine_give_it_one_host(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, rooms=()) as here:
        for name in ("host-0", "host-1"):
            await here.host(name)
        named = {"metal3.io/BareMetalHost": f"{namespace}/host-0"}
        await here.machine("m", annotations=named)
        async with (
            snapshot(machine_api, namespace) as slow,
            snapshot(machine_api, namespace) as quick,
        ):
            seen = [parts.machines.store.get(here.key("m")) for parts in (slow, quick)]
            assert seen[0] is not None
            assert seen[1] is not None
            # The quick one holds another host for better, and has the Machine name that.
            claims = Claims(quick)
            claims._reserved.add(here.key("host-0"))  # noqa: SLF001 - as a worker beside it would
            other = await claims.host_of(seen[1])
            assert isinstance(other, Claimed)
            assert other.host.key.name == "host-1"
            with pytest.raises(Conflict):
                await Claims(slow).host_of(seen[0])
        assert [await here.consumer(name) for name in ("host-0", "host-1")] == ["", "m"]


@awaited()
async def test_two_controllers_at_once_give_ten_machines_ten_hosts(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here, site(machine_api, namespace):
        await asyncio.gather(*(here.host(f"host-{number}") for number in range(10)))
        names = [f"m-{number}" for number in range(10)]
        await asyncio.gather(*(here.machine(name) for name in names))

        async def free() -> int:
            return sum(host.model.spec.consumer_ref is None for host in await here.hosts())

        await here.eventually(free, 0)
        consumers = [await here.consumer(f"host-{number}") for number in range(10)]
        assert sorted(consumers) == names


@awaited()
async def test_an_old_view_of_a_pair_that_was_made_meanwhile_is_looked_at_anew(
    machine_api: KubeApi, namespace: str
) -> None:
    def consumer(name: str) -> dict[str, str]:
        kind = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine"}
        return {**kind, "name": name, "namespace": namespace}

    async with site(machine_api, namespace, rooms=()) as here:
        await here.host("host-0")
        await here.host("host-1", spec={"consumerRef": consumer("former")})
        note = {"metal3.io/BareMetalHost": f"{namespace}/host-1"}
        await here.machine("m", annotations=note)
        async with snapshot(machine_api, namespace) as old:
            claim = {"consumerRef": consumer("m"), "image": IMAGE}
            await here.change(HOST, "host-1", spec=claim)
            machine = old.machines.store.get(here.key("m"))
            assert machine is not None
            outcome = await Claims(old).host_of(machine)
        assert isinstance(outcome, Claimed)
        assert outcome.host.key.name == "host-1"
        assert await here.consumer("host-0") == ""
