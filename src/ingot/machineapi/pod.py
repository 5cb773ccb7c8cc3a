"""The machine controller as a pod, in its two places: on the bootstrap VM, and in the cluster.

On the VM it approves the certificates of the servers that make the first control plane, by the same
checks as any later one. It stops with the VM, and gives its lease to the one in the cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ingot.machineapi.options import VARIABLES

__all__ = ["NAME", "NAMESPACE", "Told", "deployment", "static_pod"]

Json = dict[str, Any]

NAME: Final = "machine-controller"
NAMESPACE: Final = "metal3"
LABELS: Final = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "ingot"}
HEALTH_PORT: Final = int(VARIABLES["INGOT_HEALTH_PORT"][0])
ETCD_PKI: Final = VARIABLES["INGOT_ETCD_PKI"][0]
CLUSTER_CA: Final = "/etc/kubernetes/pki/ca.crt"
ADMIN: Final = "/etc/kubernetes/admin.conf"
SCRATCH: Final = "/tmp"  # noqa: S108 - the pod's own: certificates are read from files there

LEASE: Final = {
    "LEASE_DURATION_SECONDS": "60",
    "RENEW_DEADLINE_SECONDS": "40",
    "RETRY_PERIOD_SECONDS": "10",
}
"""Shorter than the field's: a node that joins waits for whoever approves its certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the program is told of the cluster.

    Attributes:
        networks: where Nodes have their addresses.
        vips: addresses that no Node may have for its own.
    """

    networks: tuple[str, ...]
    vips: tuple[str, ...]


def static_pod(image: str, told: Told) -> Json:
    """Return the pod on the bootstrap VM; it asks the API as the administrator.

    Args:
        image: one that has `ingot-node`.
        told: what is said of the cluster.
    """
    files = {"kubeconfig": ADMIN, "cluster-ca": CLUSTER_CA}
    spec = _spec(image, told, {"KUBECONFIG": ADMIN, "INGOT_CLUSTER_CA": CLUSTER_CA}, files)
    more = {"automountServiceAccountToken": False, "tolerations": [{"operator": "Exists"}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": {**LABELS, **_BOOTSTRAP}},
        "spec": {**spec, **more},
    }


_BOOTSTRAP: Final = {"app.kubernetes.io/component": "bootstrap"}
_CLUSTER: Final = {"app.kubernetes.io/component": "cluster"}


def deployment(image: str, told: Told, placement: Json) -> Json:
    """Return the Deployment in the cluster.

    Args:
        image: one that has `ingot-node`.
        told: what is said of the cluster.
        placement: what keeps it to the control plane, where etcd's certificates are.
    """
    labels = {**LABELS, **_CLUSTER}
    spec = {**_spec(image, told, {}, {}), **placement, "serviceAccountName": NAME}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": dict(LABELS)},
        "spec": {
            "replicas": 1,
            # Two have no room on one node: each has a port of the node's network.
            "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def _spec(image: str, told: Told, more: Mapping[str, str], files: Mapping[str, str]) -> Json:
    environment = {
        **LEASE,
        "INGOT_NODE_NETWORKS": ",".join(told.networks),
        "INGOT_VIPS": ",".join(told.vips),
        **more,
    }
    container: Json = {
        "name": "controller",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["ingot-node", "machine-controller"],
        "env": [{"name": name, "value": value} for name, value in environment.items()],
        "startupProbe": _probe("/healthz", every=5, failures=60),
        "livenessProbe": _probe("/healthz", every=20, failures=9),
        "resources": {"requests": {"cpu": "10m", "memory": "80Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            *_mounts({"etcd": ETCD_PKI, **files}),
            {"name": "scratch", "mountPath": SCRATCH},
        ],
    }
    return {
        "containers": [container],
        # Its port is asked for by kubelet on the node's network, where etcd and the API are.
        "hostNetwork": True,
        "dnsPolicy": "Default",
        "enableServiceLinks": False,
        "priorityClassName": "system-cluster-critical",
        # etcd's certificates are root's alone.
        "securityContext": {"runAsUser": 0, "seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": 30,
        "volumes": [
            {"name": "etcd", "hostPath": {"path": ETCD_PKI, "type": "Directory"}},
            *(
                {"name": name, "hostPath": {"path": path, "type": "File"}}
                for name, path in files.items()
            ),
            {"name": "scratch", "emptyDir": {"medium": "Memory"}},
        ],
    }


def _mounts(places: Mapping[str, str]) -> Iterable[Json]:
    return ({"name": name, "mountPath": at, "readOnly": True} for name, at in places.items())


def _probe(path: str, *, every: int, failures: int) -> Json:
    return {
        "httpGet": {"path": path, "port": HEALTH_PORT},
        "periodSeconds": every,
        "failureThreshold": failures,
        "timeoutSeconds": 10,
    }
