"""Hosts, Machines, Nodes and pods for tests, made as the server would send them."""

from __future__ import annotations

import json
from typing import Any

from ingot.kube.kind import Kind
from ingot.kube.object import KubeObject
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.api.machineset import MachineSet
from ingot.machineapi.hosts import Host
from ingot.machineapi.kinds import HOST, MACHINE, MACHINE_SET, NODE, POD
from ingot.machineapi.nodes import Node, Pod

NAMESPACE = "metal3"
IMAGE = {"url": "http://images/disk.img", "checksum": "ab" * 32, "checksumType": "sha256"}


def stored(kind: Kind[Any], name: str, body: dict[str, Any], **metadata: object) -> KubeObject[Any]:
    known = {"name": name, "uid": f"uid-of-{name}", "resourceVersion": "1", "generation": 1}
    if kind.namespaced:
        known["namespace"] = NAMESPACE
    content = {"metadata": {**known, **metadata}, **body}
    return KubeObject(kind, json.dumps(content).encode())


def host(
    name: str = "host-0",
    state: str = "available",
    *,
    consumer: str = "",
    spec: dict[str, Any] | None = None,
    status: dict[str, Any] | None = None,
    **metadata: object,
) -> KubeObject[Host]:
    wanted: dict[str, Any] = {"online": True, **(spec or {})}
    if consumer:
        wanted["consumerRef"] = {
            "apiVersion": "machine.openshift.io/v1beta1",
            "kind": "Machine",
            "name": consumer,
            "namespace": NAMESPACE,
        }
    seen = {"provisioning": {"state": state, "ID": ""}, **(status or {})}
    return stored(HOST, name, {"spec": wanted, "status": seen}, **metadata)


def machine(
    name: str = "worker-0",
    *,
    value: dict[str, Any] | None = None,
    spec: dict[str, Any] | None = None,
    status: dict[str, Any] | None = None,
    **metadata: object,
) -> KubeObject[Machine]:
    given = {"image": IMAGE} if value is None else value
    wanted = {"providerSpec": {"value": given}, **(spec or {})}
    return stored(MACHINE, name, {"spec": wanted, "status": status or {}}, **metadata)


def machine_set(
    name: str = "workers",
    *,
    replicas: int = 1,
    labels: dict[str, str] | None = None,
    selector: dict[str, Any] | None = None,
    value: dict[str, Any] | None = None,
    spec: dict[str, Any] | None = None,
    **metadata: object,
) -> KubeObject[MachineSet]:
    own = {"set": name} if labels is None else labels
    wanted = {
        "replicas": replicas,
        "selector": {"matchLabels": {"set": name}} if selector is None else selector,
        "template": {
            "metadata": {"labels": own},
            "spec": {"providerSpec": {"value": {"image": IMAGE} if value is None else value}},
        },
        **(spec or {}),
    }
    return stored(MACHINE_SET, name, {"spec": wanted, "status": {}}, **metadata)


def node(
    name: str = "host-0",
    *,
    provider_id: str = "",
    ready: bool = True,
    addresses: tuple[str, ...] = (),
    spec: dict[str, Any] | None = None,
    **metadata: object,
) -> KubeObject[Node]:
    wanted = {**({"providerID": provider_id} if provider_id else {}), **(spec or {})}
    status = {
        "addresses": [{"type": "InternalIP", "address": one} for one in addresses],
        "conditions": [
            {
                "type": "Ready",
                "status": "True" if ready else "Unknown",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
    }
    return stored(NODE, name, {"spec": wanted, "status": status}, **metadata)


def pod(name: str = "web", *, phase: str = "Running", **metadata: object) -> KubeObject[Pod]:
    body = {"spec": {"nodeName": "host-0"}, "status": {"phase": phase}}
    return stored(POD, name, body, **metadata)
