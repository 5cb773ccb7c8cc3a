"""What the approver needs to be allowed, and what servers that join need, as objects of RBAC.

kubeadm gives the group of its own bootstrap tokens one right more: that the controller manager
approves their requests unseen. A right cannot be taken back from a part of a group, and `kubeadm
upgrade` would bring a deleted binding back. So servers join by a group of ours, that has all of the
other rights and not this one.
"""

from __future__ import annotations

from typing import Any, Final

from ingot.kube.joiners import JOINERS
from ingot.machineapi.approving.judging import SIGNERS

__all__ = ["CLUSTER_RULES", "joiners_rights"]

CLUSTER_RULES: Final[tuple[dict[str, Any], ...]] = (
    {
        "apiGroups": ["certificates.k8s.io"],
        "resources": ["certificatesigningrequests"],
        "verbs": ["get", "list", "watch"],
    },
    {
        "apiGroups": ["certificates.k8s.io"],
        "resources": ["certificatesigningrequests/approval"],
        "verbs": ["update"],
    },
    {
        "apiGroups": ["certificates.k8s.io"],
        "resources": ["signers"],
        "resourceNames": sorted(SIGNERS),
        "verbs": ["approve"],
    },
    # Requests have no namespace, and events about them are in `default`.
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
)
"""In the whole cluster, besides what looking at Machines, hosts and Nodes needs."""

_NAME: Final = "ingot:node-joining"
_GROUP: Final = "rbac.authorization.k8s.io"
_READ: Final = ("kubeadm-config", "kubelet-config", "kube-proxy")
"""What `kubeadm join` reads."""


def joiners_rights() -> tuple[dict[str, Any], ...]:
    """Return what lets servers join that are approved here."""
    wide: list[dict[str, Any]] = [
        {
            "apiGroups": ["certificates.k8s.io"],
            "resources": ["certificatesigningrequests"],
            "verbs": ["create", "get", "list", "watch"],
        },
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]},
    ]
    config = {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "resourceNames": list(_READ),
        "verbs": ["get"],
    }
    return (
        _object("ClusterRole", "", rules=wide),
        _binding("ClusterRole", ""),
        _object("Role", "kube-system", rules=[config]),
        _binding("Role", "kube-system"),
    )


def _binding(kind: str, namespace: str) -> dict[str, Any]:
    return _object(
        f"{kind}Binding",
        namespace,
        roleRef={"apiGroup": _GROUP, "kind": kind, "name": _NAME},
        subjects=[{"apiGroup": _GROUP, "kind": "Group", "name": JOINERS}],
    )


def _object(kind: str, namespace: str, **content: object) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": _NAME, "labels": {"app.kubernetes.io/part-of": "ingot"}}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": metadata, **content}
