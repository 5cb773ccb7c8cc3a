"""Whether a Node that is out of service has nothing left on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ingot.kube.client import KubeClient, Selection
from ingot.kube.kind import Kind

__all__ = ["is_emptied", "stays"]

PODS: Final = Kind.untyped("", "v1", "Pod", "pods")
VOLUMES: Final = Kind.untyped(
    "storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", namespaced=False
)
MIRROR: Final = "kubernetes.io/config.mirror"
"""On a pod that a kubelet runs from a file: the API server only shows it."""

_TAINT: Final = "node.kubernetes.io/out-of-service"
_OVER: Final = frozenset({"Succeeded", "Failed"})


async def is_emptied(client: KubeClient, node: str) -> bool:
    """Return whether no pod and no volume of a Node is left that would have to go.

    Raises:
        ApiError: the API could not be asked.
    """
    pods = await client.list(PODS, Selection(fields=f"spec.nodeName={node}"))
    if not all(stays(one.content) for one in pods.objects):
        return False
    attached = await client.list(VOLUMES)
    return all(one.content["spec"].get("nodeName") != node for one in attached.objects)


def stays(pod: Mapping[str, Any]) -> bool:
    """Tell whether a pod may stay on a Node that is out of service."""
    if pod.get("status", {}).get("phase") in _OVER:
        return True
    if MIRROR in pod["metadata"].get("annotations", {}):
        return True
    return _tolerates(pod["spec"].get("tolerations", ()))


def _tolerates(tolerations: Iterable[Mapping[str, Any]]) -> bool:
    return any(
        one.get("effect", "") in ("", "NoExecute")
        and "tolerationSeconds" not in one
        and (
            (one.get("operator") == "Exists" and one.get("key", "") in ("", _TAINT))
            or (one.get("key") == _TAINT and one.get("value") == "nodeshutdown")
        )
        for one in tolerations
    )
