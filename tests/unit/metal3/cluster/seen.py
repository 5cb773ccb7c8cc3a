"""Objects as an API server would tell of them."""

from __future__ import annotations

import json
from typing import Any

from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.provisioning import NAME, Provisioning, ProvisioningSpec
from ingot.metal3.api.reading import read
from ingot.metal3.cluster.names import BOOTSTRAP, DEPLOYMENTS, NODES, PODS
from ingot.metal3.cluster.options import Options, parse
from ingot.metal3.operator.kinds import HOST

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
MACS = ["52:54:00:00:01:01", "52:54:00:00:01:02", "52:54:00:00:01:03"]
MANAGED: dict[str, Any] = {
    "provisioningNetwork": "Managed",
    "provisioningIP": "172.22.0.3",
    "provisioningNetworkCIDR": "172.22.0.0/24",
    "provisioningDHCPRange": "172.22.0.10,172.22.0.254",
    "provisioningMacAddresses": MACS,
}
OPTIONS: dict[str, Any] = {
    "image": "ingot.local/metal3:1",
    "apiVIPs": ["192.168.111.5"],
    "images": {
        "files": [
            {"name": "disk.img", "sha256": "a" * 64},
            {"name": "kernel", "sha256": "b" * 64},
            {"name": "initrd", "sha256": "c" * 64},
        ],
        "source": "http://192.168.111.5:6180/images",
    },
    "settings": {"sshKeys": ["ssh-ed25519 AAAA me"]},
}


def provisioning(base: dict[str, Any] = MANAGED, **changes: object) -> Provisioning:
    spec = {name: value for name, value in {**base, **changes}.items() if value is not None}
    return Provisioning(metadata=Metadata(name=NAME), spec=read(ProvisioningSpec, spec))


def options(**changes: object) -> Options:
    return parse(json.dumps({**OPTIONS, **changes}))


def node(name: str, *, ready: bool = True, label: str = CONTROL_PLANE) -> KubeObject[Content]:
    body = {
        "metadata": {"name": name, "labels": {label: ""}},
        "status": {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}]},
    }
    return KubeObject(NODES, json.dumps(body).encode())


def bootstrap() -> KubeObject[Content]:
    return node("bootstrap", label=BOOTSTRAP)


def host(name: str, *, leads: bool = True) -> KubeObject[BareMetalHost]:
    labels = {"installer.openshift.io/role": "control-plane"} if leads else {}
    body = {
        "apiVersion": "metal3.io/v1alpha1",
        "kind": "BareMetalHost",
        "metadata": {"name": name, "namespace": "metal3", "labels": labels},
        "spec": {"online": True},
    }
    return KubeObject(HOST, json.dumps(body).encode())


def deployment(
    *, replicas: int = 1, available: int = 1, seen: bool = True, stuck: str = ""
) -> KubeObject[Content]:
    failed = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    body = {
        "metadata": {"name": "metal3", "namespace": "metal3", "generation": 2},
        "spec": {"replicas": replicas},
        "status": {
            "observedGeneration": 2 if seen else 1,
            "updatedReplicas": replicas,
            "availableReplicas": available,
            "conditions": [{**failed, "message": stuck}] if stuck else [],
        },
    }
    return KubeObject(DEPLOYMENTS, json.dumps(body).encode())


def pod(name: str, address: str, *, ready: bool = True, going: bool = False) -> KubeObject[Content]:
    body = {
        "metadata": {
            "name": name,
            "namespace": "metal3",
            **({"deletionTimestamp": "2030-01-01T00:00:00Z"} if going else {}),
        },
        "status": {
            "hostIP": address,
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }
    return KubeObject(PODS, json.dumps(body).encode())
