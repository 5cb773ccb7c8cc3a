"""Where a copy can come from: the others' copies first, the bootstrap VM last.

Others are known from the API: pods of the same kind that are ready, on other nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ingot.bmc.host import in_url
from ingot.kube.client import KubeClient, Selection
from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.metal3.cluster.images.places import PORT
from ingot.metal3.cluster.names import IMAGES_LABELS, NAMESPACE, PODS
from ingot.metal3.cluster.situation import is_ready

__all__ = ["ask", "urls"]

_SELECTOR: Final = ",".join(f"{name}={value}" for name, value in IMAGES_LABELS.items())


async def ask(client: KubeClient, own: str) -> tuple[str, ...]:
    """Return where copies are that are whole, as far as the API knows.

    Args:
        client: how the API is reached.
        own: the name of our own pod.

    Raises:
        ApiError: it does not answer.
    """
    page = await client.list(PODS, Selection(NAMESPACE, labels=_SELECTOR))
    return urls(page.objects, own=own)


def urls(pods: Iterable[KubeObject[Content]], *, own: str) -> tuple[str, ...]:
    """Return the URLs of whole copies, in the order of the pods' names."""
    ready = [
        one
        for one in pods
        if one.metadata.name != own and not one.metadata.is_going and is_ready(one)
    ]
    addresses = [
        str(one.content.get("status", {}).get("hostIP", ""))
        for one in sorted(ready, key=lambda one: one.metadata.name)
    ]
    return tuple(f"http://{in_url(address)}:{PORT}" for address in addresses if address)
