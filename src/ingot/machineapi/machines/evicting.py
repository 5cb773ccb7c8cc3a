"""Having pods leave a Node, by the API that respects their PodDisruptionBudgets."""

from __future__ import annotations

import asyncio
from typing import Final

from ingot.kube.client import KubeClient, Selection
from ingot.kube.errors import ApiError, Conflict, NotFound, Unavailable
from ingot.kube.kind import Content, Kind
from ingot.kube.object import KubeObject
from ingot.machineapi.kinds import NODE, POD
from ingot.machineapi.nodes import Node, Pod

__all__ = ["cordoned", "evict", "pods_on"]

_TOO_MANY: Final = 429
"""What the API answers when a budget allows no eviction now."""


async def cordoned(client: KubeClient, node: KubeObject[Node]) -> None:
    """Keep new pods off a Node; one that is gone needs nothing."""
    if not node.model.spec.unschedulable:
        try:
            await client.patch(NODE, node.key, {"spec": {"unschedulable": True}})
        except NotFound:
            return


async def pods_on(client: KubeClient, node: str) -> list[KubeObject[Pod]]:
    """Return all pods of a Node, of every namespace."""
    found = await client.list(POD, Selection(fields=f"spec.nodeName={node}"))
    return found.objects


async def evict(
    client: KubeClient, pods: tuple[KubeObject[Pod], ...]
) -> list[tuple[KubeObject[Pod], str]]:
    """Ask pods to go, all at once; return those that may not yet, with why."""
    answers = await asyncio.gather(*(_evicted(client, pod) for pod in pods))
    return [(pod, why) for pod, why in zip(pods, answers, strict=True) if why]


async def _evicted(client: KubeClient, pod: KubeObject[Pod]) -> str:
    body: Content = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"namespace": pod.key.namespace, "name": pod.key.name},
        "deleteOptions": {"preconditions": {"uid": pod.metadata.uid}},
    }
    try:
        await client.create(_evictions_of(pod), body)
    except (NotFound, Conflict):
        return ""  # It is gone, or another one has its name; the next look shows.
    except Unavailable as refused:
        if refused.code == _TOO_MANY:
            return "its PodDisruptionBudget allows no eviction now"
        return refused.message or refused.reason
    except ApiError as refused:
        return refused.message
    return ""


def _evictions_of(pod: KubeObject[Pod]) -> Kind[Content]:
    """Return the place where the eviction of a pod is asked for: one of each pod's own."""
    return Kind.untyped("", "v1", "Eviction", f"pods/{pod.key.name}/eviction")
