"""Finalizers: how a Machine is held until its host is given back, and then let go.

The list is written as a whole with the version it was read in: who was faster wins.
"""

from __future__ import annotations

from typing import TypeVar

from ingot.kube.client import KubeClient
from ingot.kube.errors import NotFound
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch

__all__ = ["held", "let_go"]

T = TypeVar("T")


async def held(
    client: KubeClient, watch: SharedWatch[T], found: KubeObject[T], finalizer: str
) -> KubeObject[T]:
    """Hold on to an object that stays, and return it as it then is.

    Raises:
        Conflict: it has changed since it was read.
    """
    meta = found.metadata
    if meta.is_going or finalizer in meta.finalizers:
        return found
    change = {
        "finalizers": [*meta.finalizers, finalizer],
        "resourceVersion": meta.resource_version,
    }
    written = await client.patch(watch.kind, found.key, {"metadata": change})
    watch.saw(written)
    return written


async def let_go(
    client: KubeClient, watch: SharedWatch[T], found: KubeObject[T], finalizer: str
) -> None:
    """Take a finalizer away, if it is there; an object that is gone is let go of.

    Raises:
        Conflict: it has changed since it was read.
    """
    meta = found.metadata
    if finalizer not in meta.finalizers:
        return
    left = [one for one in meta.finalizers if one != finalizer]
    change = {"finalizers": left, "resourceVersion": meta.resource_version}
    try:
        watch.saw(await client.patch(watch.kind, found.key, {"metadata": change}))
    except NotFound:
        return
