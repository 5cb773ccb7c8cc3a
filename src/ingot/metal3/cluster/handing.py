"""What the bootstrap has to wait for before it goes: that its images are kept by the cluster."""

from __future__ import annotations

from ingot.kube.client import KubeClient
from ingot.kube.errors import NotFound
from ingot.kube.kind import ObjectKey
from ingot.metal3.cluster.conditions import Rollout
from ingot.metal3.cluster.names import CONTROLLER, DEPLOYMENTS, IMAGES, NAMESPACE

__all__ = ["images_wait_for"]


async def images_wait_for(client: KubeClient) -> str:
    """Return what the images' copy waits for, in words; "" once a whole one is there.

    Where nobody sees to metal3 in the cluster, there is nothing to wait for.

    Raises:
        ApiError: the API does not answer.
    """
    try:
        await client.get(DEPLOYMENTS, ObjectKey(NAMESPACE, CONTROLLER))
    except NotFound:
        return ""
    try:
        copies = Rollout.of(await client.get(DEPLOYMENTS, IMAGES))
    except NotFound:
        return f"{CONTROLLER} to begin"
    if copies.available:
        return ""
    return copies.stuck or "a node to have copied the images for servers"
