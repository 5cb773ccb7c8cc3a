"""The objects that run the host gateway on every node of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import yaml

from ingot.hostgateway.model import Network
from ingot.hostgateway.options import HEALTH_PORT

__all__ = ["NAME", "NAMESPACE", "manifest"]

NAME: Final = "host-gateway"
NAMESPACE: Final = "ingot-infra"
LABELS: Final = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "ingot"}

CNI_FOLDER: Final = "/etc/cni/net.d"
SYSCTL_FOLDER: Final = "/host/proc/sys/net"
"""A container's own /proc/sys may not be written. This one is, and shows the network of whoever
looks, which is the node's."""


NODES: Final = {
    "nodeSelectorTerms": [
        {"matchExpressions": [{"key": "ingot.local/bootstrap", "operator": "DoesNotExist"}]}
    ]
}
"""The bootstrap VM has no pods of its own, and will be gone."""


def manifest(
    image: str, api_host: str, api_port: int, cluster_networks: Sequence[Network | str]
) -> str:
    """Return the objects as YAML, to be applied in their order; the namespace is not among them.

    Args:
        image: an image with Ingot, iproute2 and nftables.
        api_host: the API's VIP; Services need pods, so the API's Service cannot be used here.
        api_port: where the API is there.
        cluster_networks: the networks of all pods.
    """
    networks = ",".join(map(str, cluster_networks))
    objects = [
        _object("v1", "ServiceAccount", namespaced=True),
        {**_object(_RBAC, "ClusterRole"), "rules": RULES},
        {
            **_object(_RBAC, "ClusterRoleBinding"),
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": f"ingot-{NAME}",
            },
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
        },
        {
            **_object("apps/v1", "DaemonSet", namespaced=True),
            "spec": {
                "selector": {"matchLabels": {"app.kubernetes.io/name": NAME}},
                # Nothing is interrupted while it is away, so many may be replaced at once.
                "updateStrategy": {"rollingUpdate": {"maxUnavailable": "34%"}},
                "template": {
                    "metadata": {"labels": {**LABELS}},
                    "spec": _pod(image, api_host, api_port, networks),
                },
            },
        },
    ]
    text: str = yaml.safe_dump_all(objects, sort_keys=False)
    return text


_RBAC: Final = "rbac.authorization.k8s.io/v1"

RULES: Final = [
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
]


def _object(api_version: str, kind: str, *, namespaced: bool = False) -> dict[str, Any]:
    where = {"namespace": NAMESPACE} if namespaced else {}
    name = NAME if namespaced else f"ingot-{NAME}"
    metadata = {"name": name, **where, "labels": {**LABELS}}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def _pod(image: str, api_host: str, api_port: int, networks: str) -> dict[str, Any]:
    return {
        "serviceAccountName": NAME,
        "hostNetwork": True,
        # The cluster's DNS needs what this pod makes.
        "dnsPolicy": "Default",
        "enableServiceLinks": False,
        "priorityClassName": "system-node-critical",
        "terminationGracePeriodSeconds": 10,
        "tolerations": [{"operator": "Exists"}],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": NODES}},
        "containers": [
            {
                "name": NAME,
                "image": image,
                "imagePullPolicy": "IfNotPresent",
                "command": ["ingot-node", "host-gateway"],
                "env": [
                    {
                        "name": "NODE_NAME",
                        "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}},
                    },
                    {"name": "KUBERNETES_SERVICE_HOST", "value": api_host},
                    {"name": "KUBERNETES_SERVICE_PORT", "value": str(api_port)},
                    {"name": "INGOT_CLUSTER_NETWORKS", "value": networks},
                    {"name": "INGOT_CNI_FOLDER", "value": CNI_FOLDER},
                    {"name": "INGOT_SYSCTL_FOLDER", "value": SYSCTL_FOLDER},
                ],
                "livenessProbe": _probe("/healthz", every=20),
                "readinessProbe": _probe("/readyz", every=5),
                "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
                "securityContext": {
                    "readOnlyRootFilesystem": True,
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]},
                },
                "volumeMounts": [
                    {"name": "cni", "mountPath": CNI_FOLDER},
                    {"name": "sysctl", "mountPath": SYSCTL_FOLDER},
                ],
            }
        ],
        "volumes": [
            {"name": "cni", "hostPath": {"path": CNI_FOLDER, "type": "DirectoryOrCreate"}},
            {"name": "sysctl", "hostPath": {"path": "/proc/sys/net", "type": "Directory"}},
        ],
    }


def _probe(path: str, *, every: int) -> dict[str, Any]:
    return {
        "httpGet": {"host": "127.0.0.1", "port": HEALTH_PORT, "path": path},
        "periodSeconds": every,
        "timeoutSeconds": 5,
        "failureThreshold": 6,
    }
