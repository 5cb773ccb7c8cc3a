"""What the bootstrap has to wait for before it goes: that its images are kept by the cluster."""

from __future__ import annotations

from ingot.kube.client import KubeClient
from ingot.kube.errors import NotFound
from ingot.kube.kind import ObjectKey
from ingot.metal3.api.provisioning import NAME
from ingot.metal3.cluster.conditions import Rollout
from ingot.metal3.cluster.names import CONTROLLER, DEPLOYMENTS, IMAGES, NAMESPACE, PROVISIONING

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
        return f"{CONTROLLER} to begin{await _hindrance(client)}"
    if copies.available:
        return ""
    return copies.stuck or "a node to have copied the images for servers"


async def _hindrance(client: KubeClient) -> str:
    """Return why nothing is begun, as `Provisioning` tells: mostly a mistake in it."""
    try:
        found = await client.get(PROVISIONING, ObjectKey("", NAME))
    except NotFound:
        return f": there is no Provisioning {NAME}"
    said = {one.type: one for one in found.model.status.conditions}.get("Degraded")
    return f": {said.message}" if said and said.status == "True" else ""
