"""What approving and healing see of Machines, hosts and Nodes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ingot.kube.kind import Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.kinds import HOST, MACHINE, NODE
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeSeen

SET = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet", "name": "s", "uid": "1"}


def found(kind: Kind[Any], body: dict[str, Any]) -> KubeObject[Any]:
    metadata = {"name": "one", "namespace": "metal3", **body.get("metadata", {})}
    return KubeObject(kind, json.dumps({**body, "metadata": metadata}).encode())


@pytest.mark.parametrize("of", [MachineSeen.of, HostSeen.of, NodeSeen.of])
def test_of_a_new_object_nothing_is_known(of: Any) -> None:  # noqa: ANN401 - one of three
    of(found(MACHINE, {}))


def test_a_machine_names_its_host_with_or_without_a_namespace() -> None:
    for text in ("metal3/worker-0", "worker-0"):
        annotations = {"metal3.io/BareMetalHost": text}
        seen = MachineSeen.of(found(MACHINE, {"metadata": {"annotations": annotations}}))
        assert seen.host == ObjectKey("metal3", "worker-0")


def test_names_of_a_machine_are_told_from_its_addresses() -> None:
    listed = [
        {"type": "InternalDNS", "address": "Worker-0"},
        {"type": "Hostname", "address": "w0"},
        {"type": "InternalIP", "address": "192.0.2.1"},
    ]
    seen = MachineSeen.of(found(MACHINE, {"status": {"addresses": listed}}))
    assert seen.names == {"worker-0", "w0"}
    assert "192.0.2.1" in seen.addresses


@pytest.mark.parametrize(
    ("status", "since"), [("False", datetime(2026, 1, 1, tzinfo=UTC)), ("True", None)]
)
def test_of_a_machine_is_known_why_it_failed_and_since_when_it_has_no_host(
    status: str, since: datetime | None
) -> None:
    claimed = {
        "type": "HostClaimed",
        "status": status,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    body = {"status": {"errorReason": "HostGone", "conditions": [claimed]}}
    seen = MachineSeen.of(found(MACHINE, body))
    assert (seen.error, seen.unclaimed_since) == ("HostGone", since)


@pytest.mark.parametrize(("controller", "owned"), [(True, True), (False, False)])
def test_a_machine_is_owned_by_the_set_that_controls_it(*, controller: bool, owned: bool) -> None:
    body = {"metadata": {"ownerReferences": [{**SET, "controller": controller}]}}
    assert MachineSeen.of(found(MACHINE, body)).owned is owned


@pytest.mark.parametrize(("role", "leads"), [("master", True), ("worker", False)])
def test_the_control_plane_is_known_by_its_label(role: str, *, leads: bool) -> None:
    labels = {"machine.openshift.io/cluster-api-machine-role": role}
    assert (
        MachineSeen.of(found(MACHINE, {"metadata": {"labels": labels}})).is_control_plane is leads
    )


@pytest.mark.parametrize(
    ("reference", "consumer", "free"),
    [
        (None, None, True),
        ({"kind": "Machine", "name": "m", "namespace": "n"}, ObjectKey("n", "m"), False),
        ({"kind": "Machine", "name": "m"}, ObjectKey("metal3", "m"), False),
        ({"kind": "Metal3Machine", "name": "m"}, None, False),
    ],
)
def test_a_host_is_used_by_a_machine_by_something_else_or_by_nobody(
    reference: dict[str, str] | None, consumer: ObjectKey | None, *, free: bool
) -> None:
    seen = HostSeen.of(found(HOST, {"spec": {"consumerRef": reference}}))
    assert (seen.consumer, seen.free) == (consumer, free)


def test_a_host_is_seen_with_its_power_its_addresses_and_when_it_was_installed() -> None:
    status = {
        "poweredOn": True,
        "provisioning": {"state": "provisioned"},
        "hardware": {"nics": [{"ip": "192.0.2.1"}, {"ip": ""}, {}]},
        "operationHistory": {"provision": {"end": "2026-01-01T12:00:00Z"}},
    }
    seen = HostSeen.of(found(HOST, {"spec": {"image": {"url": "u"}}, "status": status}))
    assert seen.in_use
    assert seen.powered_on
    assert seen.wanted
    assert seen.addresses == {"192.0.2.1"}
    assert seen.provisioned_at is not None


def test_a_node_is_seen_with_its_conditions_taints_and_boot() -> None:
    body = {
        "spec": {"taints": [{"key": "a", "effect": "NoExecute"}]},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"bootID": "b"},
            "addresses": [
                {"type": "InternalIP", "address": "192.0.2.1"},
                {"type": "Hostname", "address": "n"},
            ],
        },
    }
    seen = NodeSeen.of(found(NODE, body))
    assert seen.ready
    assert seen.taints == {("a", "NoExecute")}
    assert seen.boot == "b"
    assert seen.addresses == {"192.0.2.1"}
