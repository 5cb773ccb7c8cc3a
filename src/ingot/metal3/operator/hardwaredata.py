"""HardwareData: what inspection found in a host, kept apart from the host.

It outlives the host's status, which somebody may have to write anew. One that is there is deleted
and made again, as upstream does: its age says when the host was last inspected.
"""

from __future__ import annotations

from ingot.kube.client import KubeClient
from ingot.kube.controller import Source
from ingot.kube.errors import AlreadyExists, Conflict, NotFound
from ingot.kube.holding import let_go
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api import finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.hardwaredata import HardwareData
from ingot.metal3.api.reading import written
from ingot.metal3.operator.kinds import HARDWARE_DATA
from ingot.metal3.operator.parts import Parts, owned_by

__all__ = ["HardwareRoom"]


class HardwareRoom:
    """The HardwareData of all hosts."""

    def __init__(self, parts: Parts) -> None:
        self._client: KubeClient = parts.client
        self._watch = parts.runtime.watches.of(HARDWARE_DATA)

    def sources(self) -> list[Source]:
        """Return what calls for a host's reconcile: somebody may bring its HardwareData along."""
        return [Source(self._watch)]

    def seen(self, host: KubeObject[BareMetalHost]) -> HardwareDetails | None:
        """Return what is known of a host's hardware."""
        found = self._watch.store.get(host.key)
        if found is None or found.metadata.is_going:
            return None
        return found.model.spec.hardware

    async def write(self, host: KubeObject[BareMetalHost], details: HardwareDetails) -> None:
        """Keep what was found, in place of what is there; nothing for a host that goes.

        Raises:
            Conflict: somebody else holds on to the old one, or has changed it.
        """
        if host.metadata.is_going:
            return
        before = await self._find(host.key)
        if before is not None:
            if _says(before, host, details):
                return
            await let_go(self._client, self._watch, before, finalizer.HARDWARE_DATA)
            await self._delete(before)
        try:
            await self._client.create(HARDWARE_DATA, _body(host, details))
        except AlreadyExists as error:
            raise Conflict(
                error.call, code=error.code, reason="Conflict", message=error.message
            ) from error

    async def release(self, host: KubeObject[BareMetalHost]) -> None:
        """Let go of it for a host that goes; its owner reference takes it along.

        Raises:
            Conflict: it has changed since it was read.
        """
        found = await self._find(host.key)
        if found is not None:
            await let_go(self._client, self._watch, found, finalizer.HARDWARE_DATA)

    async def _find(self, key: ObjectKey) -> KubeObject[HardwareData] | None:
        # Not from the watch, which may not have seen yet what we wrote a moment ago.
        try:
            return await self._client.get(HARDWARE_DATA, key)
        except NotFound:
            return None

    async def _delete(self, found: KubeObject[HardwareData]) -> None:
        try:
            await self._client.delete(HARDWARE_DATA, found.key, uid=found.metadata.uid)
        except NotFound:
            return


def _says(
    found: KubeObject[HardwareData], host: KubeObject[BareMetalHost], details: HardwareDetails
) -> bool:
    meta = found.metadata
    owned = any(one.uid == host.metadata.uid and one.controller for one in meta.owner_references)
    held = finalizer.HARDWARE_DATA in meta.finalizers and not meta.is_going
    return owned and held and found.model.spec.hardware == details


def _body(host: KubeObject[BareMetalHost], details: HardwareDetails) -> dict[str, object]:
    return {
        "metadata": {
            "name": host.metadata.name,
            "namespace": host.metadata.namespace,
            "finalizers": [finalizer.HARDWARE_DATA],
            "ownerReferences": [owned_by(host, controller=True)],
        },
        "spec": {"hardware": written(details)},
    }
