"""What healing needs to be allowed, besides what the controllers of Machines need."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["CLUSTER_RULES", "NAMESPACE_RULES"]

NAMESPACE_RULES: Final[tuple[dict[str, Any], ...]] = (
    {
        "apiGroups": ["machine.openshift.io"],
        "resources": ["machinehealthchecks"],
        "verbs": ["get", "list", "watch"],
    },
    {
        "apiGroups": ["machine.openshift.io"],
        "resources": ["machinehealthchecks/status"],
        "verbs": ["patch"],
    },
)
"""In the namespace of Machines and hosts."""

CLUSTER_RULES: Final[tuple[dict[str, Any], ...]] = (
    {
        "apiGroups": ["storage.k8s.io"],
        "resources": ["volumeattachments"],
        "verbs": ["list"],
    },
)
"""In the whole cluster: whether a volume is still attached."""
