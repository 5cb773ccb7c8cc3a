"""What nodes may do beyond what Kubernetes lets them do by itself.

The monitor of a node's network watches all Nodes with the kubelet's own credentials. A kubelet may
read its own Node only, so the group of all kubelets is given the rest.
"""

from __future__ import annotations

from typing import Final

from ingot.assets.documents import yaml_of
from ingot.assets.graph.files import Files

__all__ = ["NODES", "PATH", "rbac"]

PATH: Final = "manifests/20-rbac.yaml"
NODES: Final = "system:nodes"
NAME: Final = "ingot:node-reader"


def rbac() -> Files:
    """Return the role and who has it."""
    group = "rbac.authorization.k8s.io"
    metadata = {"name": NAME, "labels": {"app.kubernetes.io/part-of": "ingot"}}
    role = {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRole",
        "metadata": metadata,
        "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]}],
    }
    binding = {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": NAME},
        "subjects": [{"apiGroup": group, "kind": "Group", "name": NODES}],
    }
    return {PATH: yaml_of(role, binding)}
