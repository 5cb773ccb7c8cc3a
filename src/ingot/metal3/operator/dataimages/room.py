"""The DataImages of hosts, for the host's controller, and the controller of their own."""

from __future__ import annotations

from typing import Final

from ingot.ironic.node import NodeId
from ingot.kube.changes import Change, any_of, finalizers_changed, generation_changed
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.holding import held, let_go
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api import annotation, finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.dataimage import DataImage
from ingot.metal3.host.decision import DataImageStep
from ingot.metal3.host.observation import DataImageSeen
from ingot.metal3.operator.dataimages.changing import Drives
from ingot.metal3.operator.dataimages.leaving import Drive, Empty, Release, Wait, parting
from ingot.metal3.operator.dataimages.seeing import look, settled, wanted
from ingot.metal3.operator.kinds import DATA_IMAGE, HOST
from ingot.metal3.operator.parts import Parts, owned_by

__all__ = ["DataImageRoom"]

LEFT_BEHIND: Final = "DataImageLeftBehind"


class DataImageRoom:
    """Virtual CDs."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._watch = parts.runtime.watches.of(DATA_IMAGE)
        self._hosts = parts.runtime.watches.of(HOST)
        self._drives = Drives(parts)

    def controllers(self) -> list[Controller]:
        """Return the controller of DataImages."""
        return [
            Controller(
                name="dataimage",
                reconcile=self.reconcile,
                sources=[
                    Source(
                        self._watch,
                        keep=any_of(generation_changed, finalizers_changed, _attached_changed),
                        forgives=True,
                    ),
                    Source(self._hosts, keys=self._of_host),
                ],
                workers=2,
            )
        ]

    def sources(self) -> list[Source]:
        """Return what calls for a host's reconcile: another image is wanted, or is in the drive."""
        return [
            Source(self._watch, keep=generation_changed, forgives=True),
            Source(self._watch, keep=_attached_changed),
        ]

    def seen(self, host: KubeObject[BareMetalHost]) -> DataImageSeen:
        """Return what is to be known of a host's DataImage."""
        found = self._watch.store.get(host.key)
        return look(found.model if found else None)

    async def change(
        self, host: KubeObject[BareMetalHost], node: NodeId, step: DataImageStep
    ) -> None:
        """Have the drive changed; called again and again until what is seen is as it should be.

        Raises:
            IronicError: Ironic could not be asked, or the node is gone or busy.
        """
        found = self._watch.store.get(host.key)
        if found is not None:
            url = wanted(found.model) if step is DataImageStep.ATTACH else None
            await self._drives.change(found, node, url)

    async def reconcile(self, key: ObjectKey) -> Result:
        """Keep a DataImage with its host, and let it go when its image is out of the drive."""
        found = self._watch.store.get(key)
        if found is None:
            self._drives.forget(key)
            return Result.done()
        host = self._hosts.store.get(key)
        if host is None:
            await self._let_go(found, "its host is gone")
            return Result.done()
        if annotation.PAUSED in host.metadata.annotations:
            return Result.done()
        if found.metadata.is_going:
            return await self._going(found, host)
        await self._staying(found, host)
        return Result.done()

    async def _staying(self, found: KubeObject[DataImage], host: KubeObject[BareMetalHost]) -> None:
        found = await held(
            self._parts.client,
            self._watch,
            found,
            finalizer=finalizer.DATA_IMAGE,
            owner=owned_by(host, controller=True),
        )
        if host.model.status.powered_on:
            status = found.model.status
            calm = settled(status, tries=self._parts.settings.data_image_tries)
            if calm != status:
                await self._drives.write(found, calm)

    async def _going(self, found: KubeObject[DataImage], host: KubeObject[BareMetalHost]) -> Result:
        if finalizer.DATA_IMAGE not in found.metadata.finalizers:
            return Result.done()
        delays = self._parts.settings.delays
        match parting(host.model, self._drive(found, host), delays):
            case Release(why):
                await self._let_go(found, why)
                return Result.done()
            case Wait(seconds):
                return Result(after=seconds)
            case Empty(node):
                before = found.metadata.resource_version
                await self._drives.change(found, node, None)
                now = self._watch.store.get(found.key)
                concluded = now is not None and now.metadata.resource_version != before
                return Result.again_in(delays.steady if concluded else delays.short)

    def _drive(self, found: KubeObject[DataImage], host: KubeObject[BareMetalHost]) -> Drive:
        census = self._parts.census
        node = NodeId(host.model.status.provisioning.id)
        attached = found.model.status.attached_image
        return Drive(
            used=attached is not None or self._drives.is_changing(found.key),
            ironic_ready=census.ready,
            node=census.known(node, f"{found.key.namespace}~{found.key.name}"),
            fresh=census.is_fresh(node),
        )

    async def _let_go(self, found: KubeObject[DataImage], why: str) -> None:
        """Let a DataImage go; where that is not because the drive is empty, tell what is left."""
        attached = found.model.status.attached_image
        if why and attached and finalizer.DATA_IMAGE in found.metadata.finalizers:
            self._parts.runtime.recorder.record(
                found,
                LEFT_BEHIND,
                f"{why}, so {attached.url} may still be in the virtual drive of its server",
                severity=Severity.WARNING,
            )
        await let_go(self._parts.client, self._watch, found, finalizer.DATA_IMAGE)

    def _of_host(self, host: KubeObject[BareMetalHost]) -> list[ObjectKey]:
        return [host.key] if self._watch.store.get(host.key) else []


def _attached_changed(change: Change[DataImage]) -> bool:
    old, new = change.old, change.new
    return old is None or new is None or _attached(old) != _attached(new)


def _attached(image: KubeObject[DataImage]) -> object:
    return (image.content.get("status") or {}).get("attachedImage")
