"""What the controllers of Machines and MachineSets need to be allowed, as rules of RBAC.

Nothing here reads a Secret: user data is named to a host, and read by the host operator alone.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["CLUSTER_RULES", "NAMESPACE_RULES"]

NAMESPACE_RULES: Final[tuple[dict[str, Any], ...]] = (
    {
        "apiGroups": ["machine.openshift.io"],
        "resources": ["machines"],
        "verbs": ["get", "list", "watch", "create", "patch", "delete"],
    },
    {
        "apiGroups": ["machine.openshift.io"],
        "resources": ["machinesets"],
        "verbs": ["get", "list", "watch", "patch"],
    },
    {
        "apiGroups": ["machine.openshift.io"],
        "resources": ["machines/status", "machinesets/status"],
        "verbs": ["patch"],
    },
    {
        "apiGroups": ["machine.openshift.io"],
        "resources": ["machinesets/finalizers"],  # Machines block the deletion of their set.
        "verbs": ["update"],
    },
    {
        "apiGroups": ["metal3.io"],
        "resources": ["baremetalhosts"],
        "verbs": ["get", "list", "watch", "patch"],
    },
    {
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "verbs": ["get", "list", "watch", "create", "update"],
    },
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
)
"""In the namespace of Machines and hosts."""

CLUSTER_RULES: Final[tuple[dict[str, Any], ...]] = (
    {
        "apiGroups": [""],
        "resources": ["nodes"],
        "verbs": ["get", "list", "watch", "patch", "delete"],
    },
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"]},
)
"""In the whole cluster: Nodes have no namespace, and a drain meets pods of all."""
