"""Finalizers and owners: how a controller holds on to objects, and lets them go.

Lists are written as a whole, with the version that they were read in: a merge patch has no other
way, and who was faster wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from ingot.kube.client import KubeClient
from ingot.kube.errors import NotFound
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch

__all__ = ["held", "hold", "let_go"]

T = TypeVar("T")


def hold(
    found: KubeObject[T], *, finalizer: str = "", owner: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Return what is missing in an object's metadata; nothing for one that is being deleted."""
    meta = found.metadata
    if meta.is_going:
        return {}
    change: dict[str, object] = {}
    if finalizer and finalizer not in meta.finalizers:
        change["finalizers"] = [*meta.finalizers, finalizer]
    if owner is not None and not _is_owned(found, owner):
        # One of an earlier object of that name, or that is no controller, is replaced.
        others = [
            one
            for one in found.content["metadata"].get("ownerReferences", ())
            if (one.get("kind"), one.get("name")) != (owner["kind"], owner["name"])
        ]
        change["ownerReferences"] = [*others, owner]
    return change


async def held(
    client: KubeClient,
    watch: SharedWatch[T],
    found: KubeObject[T],
    *,
    finalizer: str = "",
    owner: Mapping[str, object] | None = None,
) -> KubeObject[T]:
    """Hold on to an object, and return it as it then is.

    Raises:
        Conflict: it has changed since it was read.
    """
    change = hold(found, finalizer=finalizer, owner=owner)
    if not change:
        return found
    change["resourceVersion"] = found.metadata.resource_version
    written = await client.patch(watch.kind, found.key, {"metadata": change})
    watch.saw(written)
    return written


async def let_go(
    client: KubeClient, watch: SharedWatch[T], found: KubeObject[T], finalizer: str
) -> None:
    """Take a finalizer of ours away, if it is there; an object that is gone is let go of.

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


def _is_owned(found: KubeObject[T], owner: Mapping[str, object]) -> bool:
    return any(
        one.uid == owner["uid"] and one.controller >= bool(owner.get("controller"))
        for one in found.metadata.owner_references
    )
