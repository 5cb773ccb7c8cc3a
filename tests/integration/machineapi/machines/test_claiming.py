"""Machines come to hosts: each to one, none to another's, and none is left without a word."""

from __future__ import annotations

import asyncio

import pytest

from ingot.kube.errors import Conflict, Invalid
from ingot.machineapi.kinds import HOST, MACHINE, NODE
from ingot.machineapi.machines.claiming import Claimed, Claims, Unclaimed
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.machines.site import IMAGE, site, snapshot

CLAIMED = "HostClaimed"
EXISTS = "InstanceExists"


@awaited()
async def test_a_machine_takes_a_host_and_is_linked_to_its_node(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        host = here.node_name("h")
        await here.host(host)
        labels = {"node-role.kubernetes.io/worker": ""}
        await here.machine("m", spec={"metadata": {"labels": labels}})
        await here.eventually(lambda: here.consumer(host), "m")

        found = await here.find(HOST, host)
        assert found is not None
        assert found.content["spec"]["image"] == IMAGE
        assert found.content["spec"]["userData"] == {
            "name": f"{host}-user-data",
            "namespace": namespace,
        }
        await here.eventually(lambda: here.phase("m"), "Provisioning")

        await here.stands(
            host, "provisioned", hardware={"nics": [{"ip": "10.0.0.5"}], "hostname": "localhost"}
        )
        await here.eventually(lambda: here.phase("m"), "Provisioned")
        await here.node(host)
        await here.eventually(lambda: here.phase("m"), "Running")

        machine, node = await here.find(MACHINE, "m"), await here.find(NODE, host)
        assert machine is not None
        assert node is not None
        expected = f"baremetalhost:///{namespace}/{host}/{found.metadata.uid}"
        assert machine.model.spec.provider_id == node.model.spec.provider_id == expected
        assert machine.metadata.annotations["metal3.io/BareMetalHost"] == f"{namespace}/{host}"
        assert machine.model.status.node_ref is not None
        assert machine.model.status.node_ref.uid == node.metadata.uid
        assert node.metadata.annotations["machine.openshift.io/machine"] == f"{namespace}/m"
        assert labels.items() <= node.metadata.labels.items()
        assert [one.address for one in machine.model.status.addresses] == [host, host, "10.0.0.5"]


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
async def test_a_host_that_comes_free_goes_to_a_machine_that_waits(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.machine("m")
        await here.eventually(lambda: here.reason("m", CLAIMED), "NoMatchingHost")
        await here.host("h", "inspecting")
        await here.eventually(lambda: here.reason("m", CLAIMED), "NoFreeHost")
        await here.stands("h", "available")
        await here.eventually(lambda: here.consumer("h"), "m")


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
async def test_a_claim_that_broke_off_is_taken_up_again(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        for name in ("host-0", "host-1"):
            await here.host(name)
        await here.machine("m", annotations={"metal3.io/BareMetalHost": f"{namespace}/host-1"})
        await here.eventually(lambda: here.consumer("host-1"), "m")
        assert await here.consumer("host-0") == ""


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


@awaited()
async def test_a_machine_of_the_control_plane_keeps_the_host_that_names_it(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        reference = {
            "apiVersion": "machine.openshift.io/v1beta1",
            "kind": "Machine",
            "name": "lab-master-0",
            "namespace": namespace,
        }
        image = {**IMAGE, "url": "http://bootstrap/disk.img"}
        await here.host("free")
        await here.host("zulu", "provisioned", spec={"consumerRef": reference, "image": image})
        await here.machine("lab-master-0", value={})
        await here.eventually(lambda: here.phase("lab-master-0"), "Provisioned")
        found = await here.find(HOST, "zulu")
        assert found is not None
        assert found.content["spec"]["image"] == image
        assert await here.consumer("free") == ""


@awaited()
async def test_a_machine_takes_over_the_installed_host_that_it_names_as_it_is(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.host("free")
        image = {**IMAGE, "url": "http://bootstrap/disk.img"}
        await here.host("zulu", "provisioned", spec={"image": image})
        note = {"metal3.io/BareMetalHost": f"{namespace}/zulu"}
        await here.machine("lab-master-0", annotations=note)
        await here.eventually(lambda: here.phase("lab-master-0"), "Provisioned")
        found = await here.find(HOST, "zulu")
        assert found is not None
        assert found.content["spec"]["image"] == image
        assert "userData" not in found.content["spec"]
        assert await here.consumer("zulu") == "lab-master-0"
        assert await here.consumer("free") == ""


@awaited()
async def test_a_selector_that_matches_nothing_is_told_and_can_be_satisfied(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.host("h")
        value = {"image": IMAGE, "hostSelector": {"matchLabels": {"rack": "a"}}}
        await here.machine("m", value=value)
        await here.eventually(lambda: here.reason("m", CLAIMED), "NoMatchingHost")

        async def told() -> bool:
            return "NoMatchingHost" in await here.events("m")

        await here.eventually(told, wanted=True)
        assert await here.phase("m") == "Provisioning"
        await here.change(HOST, "h", metadata={"labels": {"rack": "a"}})
        await here.eventually(lambda: here.consumer("h"), "m")


@awaited()
async def test_a_bad_image_is_told_touches_no_host_and_can_be_corrected(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.host("h")
        await here.machine("m", value={"image": {"url": "disk.img"}})
        await here.eventually(lambda: here.phase("m"), "Failed")
        found = await here.said("m", CLAIMED)
        assert found is not None
        assert found.reason == "InvalidConfiguration"
        assert "image.url 'disk.img' begins with none of" in found.message
        assert "image.checksum is missing" in found.message
        await here.eventually(lambda: here.events("m"), {"InvalidConfiguration"})
        assert await here.consumer("h") == ""
        good = {"providerSpec": {"value": {"image": IMAGE}}}
        await here.change(MACHINE, "m", spec=good)
        await here.eventually(lambda: here.consumer("h"), "m")
        await here.eventually(lambda: here.phase("m"), "Provisioning")


@awaited()
async def test_a_host_that_is_deleted_while_it_is_used_is_told_of_and_nothing_hangs(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.host("h", finalizers=["test.ingot.dev/held"])
        await here.machine("m")
        await here.eventually(lambda: here.consumer("h"), "m")
        await here.stands("h", "provisioned")
        await here.eventually(lambda: here.phase("m"), "Provisioned")

        await here.client.delete(HOST, here.key("h"))
        await here.eventually(lambda: here.reason("m", EXISTS), "HostDeleting")
        assert await here.phase("m") == "Failed"
        await here.change(HOST, "h", metadata={"finalizers": []})
        await here.eventually(lambda: here.reason("m", EXISTS), "HostGone")
        await here.host("spare")
        assert await here.phase("m") == "Failed"
        assert await here.consumer("spare") == ""

        await here.client.delete(MACHINE, here.key("m"))
        await here.eventually(lambda: here.phase("m"), "gone")


@awaited()
async def test_a_machine_whose_host_goes_before_anything_ran_takes_another(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.host("a", finalizers=["test.ingot.dev/held"])
        await here.machine("m")
        await here.eventually(lambda: here.consumer("a"), "m")
        await here.client.delete(HOST, here.key("a"))
        await here.host("b")
        await here.eventually(lambda: here.consumer("b"), "m")
        await here.change(HOST, "a", metadata={"finalizers": []})


@awaited()
async def test_a_machine_does_not_move_when_somebody_takes_its_host_away(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace) as here:
        await here.host("a")
        await here.machine("m")
        await here.eventually(lambda: here.consumer("a"), "m")
        await here.stands("a", "provisioned")
        await here.eventually(lambda: here.phase("m"), "Provisioned")
        await here.host("b")
        await here.change(HOST, "a", spec={"consumerRef": None})
        await here.eventually(lambda: here.reason("m", CLAIMED), "HostTaken")
        assert await here.consumer("b") == ""


@awaited()
async def test_what_the_api_server_refuses_is_told_with_its_words(
    machine_api: KubeApi, namespace: str
) -> None:
    async with site(machine_api, namespace, rooms=()) as here:
        await here.host("h")
        await here.machine("m")
        policy = {
            "metadata": {"name": f"{namespace}-refuses"},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {
                    "resourceRules": [
                        {
                            "apiGroups": ["metal3.io"],
                            "apiVersions": ["v1alpha1"],
                            "operations": ["UPDATE"],
                            "resources": ["baremetalhosts"],
                        }
                    ]
                },
                "validations": [{"expression": "false", "message": "not on a Sunday"}],
            },
        }
        binding = {
            "metadata": {"name": f"{namespace}-refuses"},
            "spec": {
                "policyName": f"{namespace}-refuses",
                "validationActions": ["Deny"],
                "matchResources": {
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
                },
            },
        }
        root = "/apis/admissionregistration.k8s.io/v1"
        await asyncio.to_thread(
            machine_api.request, "POST", f"{root}/validatingadmissionpolicies", policy
        )
        await asyncio.to_thread(
            machine_api.request, "POST", f"{root}/validatingadmissionpolicybindings", binding
        )

        async def in_force() -> bool:
            try:
                await here.change(HOST, "h", metadata={"labels": {"tried": "yes"}})
            except Invalid:
                return True
            return False

        await here.eventually(in_force, wanted=True)
        async with snapshot(machine_api, namespace) as parts:
            machine = parts.machines.store.get(here.key("m"))
            assert machine is not None
            outcome = await Claims(parts).host_of(machine)
        assert isinstance(outcome, Unclaimed)
        assert (outcome.why.reason, outcome.needs_change) == ("ClaimRefused", True)
        assert "not on a Sunday" in outcome.why.message
        assert "metal3.io/BareMetalHost" not in outcome.machine.metadata.annotations
