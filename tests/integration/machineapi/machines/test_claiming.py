"""Machines come to hosts: each to one, none to another's, and none is left without a word."""

from __future__ import annotations

import asyncio

from ingot.kube.errors import Invalid
from ingot.machineapi.kinds import HOST, MACHINE, NODE
from ingot.machineapi.machines.claiming import Claims, Unclaimed
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


@awaited()
async def test_a_machine_whose_host_gave_up_says_so_and_the_next_takes_another(
    machine_api: KubeApi, namespace: str
) -> None:
    history = {"provision": {"start": "2026-01-01T00:00:00Z"}}
    async with site(machine_api, namespace) as here:
        await here.host("a")
        await here.machine("m")
        await here.eventually(lambda: here.consumer("a"), "m")
        await here.stands(
            "a",
            "available",
            errorType="provisioning error",
            errorMessage="it is not tried again",
            provisioningFailCount=5,
            operationHistory=history,
        )
        await here.eventually(lambda: here.phase("m"), "Failed")
        assert await here.reason("m", "InstanceExists") == "HostGaveUp"
        await here.host("b")
        await here.client.delete(MACHINE, here.key("m"))
        # It is clean, and nothing of its failures is left but that the last try never ended.
        await here.stands("a", "available", provisioningFailCount=0, operationHistory=history)
        await here.client.patch(
            HOST, here.key("a"), {"status": {"errorType": None}}, subresource="status"
        )
        await here.eventually(lambda: here.phase("m"), "gone")
        await here.machine("next")
        await here.eventually(lambda: here.consumer("b"), "next")
        await here.machine("one-more")
        await here.eventually(lambda: here.consumer("a"), "one-more")
