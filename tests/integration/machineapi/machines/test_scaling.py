"""MachineSets grow and shrink, by whatever way they are told to."""

from __future__ import annotations

import asyncio
import subprocess

import pytest

from ingot.kube.client import Selection
from ingot.kube.errors import Invalid
from ingot.kube.kind import Content
from ingot.machineapi.kinds import HOST, MACHINE, MACHINE_SET
from ingot.machineapi.observing import condition
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.machines.site import IMAGE, Site, site


async def status(here: Site, name: str = "workers") -> tuple[int, int, int]:
    """Return how many Machines there are, how many are ready, and how many available."""
    found = await here.find(MACHINE_SET, name)
    assert found is not None
    seen = found.model.status
    return seen.replicas, seen.ready_replicas, seen.available_replicas


async def names(here: Site) -> set[str]:
    return {one.key.name for one in await here.machines()}


async def replicas(here: Site, name: str = "workers") -> int:
    found = await here.find(MACHINE_SET, name)
    assert found is not None
    return int(found.model.spec.replicas)


async def waits(here: Site, name: str) -> str:
    """Return why a set waits for hosts; empty if it does not."""
    found = await here.find(MACHINE_SET, name)
    assert found is not None
    told = condition(found.model.status.conditions, "HostsFound")
    return told.message if told and told.status == "False" else ""


async def kubectl(api: KubeApi, namespace: str, *words: str) -> str:
    command = [
        str(api.binaries["kubectl"]),
        f"--kubeconfig={api.kubeconfig()}",
        f"--namespace={namespace}",
        *words,
    ]
    done = await asyncio.to_thread(
        subprocess.run, command, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


@awaited(within=90)
async def test_a_set_is_scaled_by_kubectl_up_and_down_and_up_again(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, plays_operator=True) as here:
        hosts = [here.node_name(f"h{number}") for number in range(3)]
        for host in hosts:
            await here.host(host)
        await here.machine_set("workers", 0)
        for wanted in (3, 1, 2):
            await kubectl(
                machine_api, namespace, "scale", "machineset", "workers", f"--replicas={wanted}"
            )
            await here.eventually(lambda: status(here), (wanted, wanted, wanted))

            async def used() -> int:
                return sum([await here.consumer(host) != "" for host in hosts])

            await here.eventually(used, wanted)
            await here.eventually(lambda: _count(here), wanted)


async def _count(here: Site) -> int:
    return len(await here.machines())


@awaited()
async def test_kubectl_shows_where_machines_and_sets_stand(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, plays_operator=True) as here:
        host = here.node_name("h")
        await here.host(host)
        await here.machine_set("workers", 1)
        await here.eventually(lambda: status(here), (1, 1, 1))
        (name,) = await names(here)
        await here.eventually(lambda: here.phase(name), "Running")
        shown = await kubectl(machine_api, namespace, "get", "machines")
        head, row = (line.split() for line in shown.splitlines())
        assert head == ["NAME", "PHASE", "HOST", "NODE", "AGE"]
        assert row[:4] == [name, "Running", f"{namespace}/{host}", host]
        shown = await kubectl(machine_api, namespace, "get", "machinesets")
        head, row = (line.split() for line in shown.splitlines())
        assert head == ["NAME", "DESIRED", "CURRENT", "READY", "AVAILABLE", "AGE"]
        assert row[:5] == ["workers", "1", "1", "1", "1"]


@awaited()
async def test_an_autoscaler_finds_the_machines_of_a_scale_by_its_selector(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.machine_set("workers", 2)
        await here.eventually(lambda: status(here), (2, 0, 0))
        path = f"{MACHINE_SET.path(namespace, 'workers')}/scale"
        scale: Content = await asyncio.to_thread(machine_api.request, "GET", path)
        assert (scale["spec"]["replicas"], scale["status"]["replicas"]) == (2, 2)
        chosen = Selection(namespace, labels=scale["status"]["selector"])
        listed = await here.client.list(MACHINE, chosen)
        assert {one.key.name for one in listed.objects} == await names(here)


@awaited()
async def test_a_set_shrinks_by_the_machine_that_somebody_chose(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.machine_set("workers", 3)
        await here.eventually(lambda: status(here), (3, 0, 0))
        chosen, *others = sorted(await names(here))
        note = {"annotations": {"machine.openshift.io/delete-machine": ""}}
        await here.change(MACHINE, chosen, metadata=note)
        await here.change(MACHINE_SET, "workers", spec={"replicas": 2})
        await here.eventually(lambda: names(here), set(others))


@awaited()
async def test_a_machine_that_is_deleted_is_replaced(machine_api: KubeApi, namespace: str) -> None:
    async with site(machine_api, namespace) as here:
        await here.machine_set("workers", 1)
        await here.eventually(lambda: status(here), (1, 0, 0))
        (first,) = await names(here)
        await here.client.delete(MACHINE, here.key(first))

        async def replaced() -> bool:
            found = await names(here)
            return len(found) == 1 and first not in found

        await here.eventually(replaced, wanted=True)


@awaited()
async def test_two_sets_that_compete_for_one_host_share_it_in_peace(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, plays_operator=True) as here:
        for name in ("one", "two"):
            await here.machine_set(name, 1)

        async def told() -> list[bool]:
            return [await waits(here, name) != "" for name in ("one", "two")]

        await here.eventually(told, [True, True])
        host = here.node_name("h")
        await here.host(host)

        async def settled() -> int:
            return (await told()).count(False)

        await here.eventually(settled, 1)
        loser = "one" if (await told())[0] else "two"
        assert "no host is free (1 host: 1 in use)" in await waits(here, loser)
        await here.eventually(lambda: status(here, "one" if loser == "two" else "two"), (1, 1, 1))
        assert await status(here, loser) == (1, 0, 0)


@awaited()
async def test_a_negative_number_is_refused_by_the_api_server(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        with pytest.raises(Invalid, match=r"spec\.replicas"):
            await here.machine_set("workers", -1)
        await here.machine_set("workers", 0)
        with pytest.raises(Invalid, match=r"spec\.replicas"):
            await here.client.patch(
                MACHINE_SET,
                here.key("workers"),
                {"spec": {"replicas": -1}},
                subresource="scale",
            )


@awaited()
async def test_a_set_that_asks_for_it_follows_the_number_of_hosts(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, plays_operator=True) as here:
        hosts = [here.node_name(f"h{number}") for number in range(3)]
        await here.host(hosts[0])
        await here.host(hosts[1], labels={"rack": "b"})
        value = {
            "image": IMAGE,
            "hostSelector": {
                "matchExpressions": [{"key": "rack", "operator": "NotIn", "values": ["b"]}]
            },
        }
        note = {"metal3.io/autoscale-to-hosts": ""}
        await here.machine_set("workers", 0, value=value, annotations=note)
        await here.eventually(lambda: status(here), (1, 1, 1))
        assert await replicas(here) == 1
        await here.host(hosts[2])
        await here.eventually(lambda: status(here), (2, 2, 2))
        assert await here.consumer(hosts[1]) == ""
        await here.client.delete(HOST, here.key(hosts[2]))
        await here.eventually(lambda: replicas(here), 1)


@awaited()
async def test_a_set_whose_template_it_does_not_select_makes_nothing_and_says_why(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.machine_set("workers", 0)
        wrong = {"selector": {"matchLabels": {"set": "other"}}, "replicas": 2}
        await here.change(MACHINE_SET, "workers", spec=wrong)

        async def told() -> str:
            found = await here.find(MACHINE_SET, "workers")
            assert found is not None
            return str(found.model.status.error_reason)

        await here.eventually(told, "InvalidConfiguration")
        assert await names(here) == set()
        right = {"selector": {"matchLabels": {"set": "workers"}}}
        await here.change(MACHINE_SET, "workers", spec=right)
        await here.eventually(lambda: status(here), (2, 0, 0))
        assert await told() == ""


@awaited()
async def test_a_machine_that_fits_and_belongs_to_nobody_is_adopted(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.machine("by-hand", labels={"set": "workers"})
        await here.machine_set("workers", 1)
        await here.eventually(lambda: status(here), (1, 0, 0))
        assert await names(here) == {"by-hand"}
        found = await here.find(MACHINE, "by-hand")
        assert found is not None
        assert [one.name for one in found.metadata.owner_references] == ["workers"]
