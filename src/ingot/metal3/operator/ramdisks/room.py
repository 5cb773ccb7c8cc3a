"""The ramdisks of hosts: asked for by a PreprovisioningImage of the host's name."""

from __future__ import annotations

from ingot.kube.changes import Change, generation_changed
from ingot.kube.controller import Controller, Source
from ingot.kube.errors import AlreadyExists, NotFound
from ingot.kube.holding import hold, let_go
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api import finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.preprovisioningimage import (
    PreprovisioningImage,
    PreprovisioningImageSpec,
)
from ingot.metal3.api.reading import written
from ingot.metal3.host.observation import RamdiskSeen, RamdiskState
from ingot.metal3.node.subject import Ramdisk
from ingot.metal3.operator.kinds import PREPROVISIONING_IMAGE
from ingot.metal3.operator.parts import Parts, owned_by
from ingot.metal3.operator.ramdisks.answering import can_answer
from ingot.metal3.operator.ramdisks.imaging import ImageController
from ingot.metal3.operator.ramdisks.judging import judge, ramdisk_in
from ingot.metal3.operator.ramdisks.network import Network, judge_network, look
from ingot.metal3.operator.ramdisks.wishing import needs_ramdisk, waits_for_ramdisk, wish

__all__ = ["RamdiskRoom"]


class RamdiskRoom:
    """What hosts boot."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._watch = parts.runtime.watches.of(PREPROVISIONING_IMAGE)
        self._images = ImageController(parts)
        self._missing: set[ObjectKey] = set()
        """Secrets with network data that were not there when last looked for."""

    def controllers(self) -> list[Controller]:
        """Return what answers wishes for images; nothing where somebody else has to."""
        if not self._parts.builds_ramdisks or not can_answer(self._parts.site.ramdisk):
            return []
        return [self._images.controller()]

    def sources(self) -> list[Source]:
        """Return what calls for a host's reconcile: its image has become ready, or failed."""
        return [
            Source(self._watch, keep=generation_changed, forgives=True),
            Source(self._watch, keep=_status_changed),
        ]

    def seen(self, host: KubeObject[BareMetalHost]) -> RamdiskSeen:
        """Return whether there is something to boot for a host.

        The version is told also where nobody waits: a host that fails and waits no more has not
        been given anything new by that.
        """
        model = host.model
        network = self._network(model)
        wanted = wish(model) if self._parts.builds_ramdisks else None
        if wanted is not None:
            found = judge(self._image(host.key), wanted, network_version=network.version)
        else:
            found = judge_network(network)
        return found if waits_for_ramdisk(model) else RamdiskSeen(version=found.version)

    def ramdisk(self, host: KubeObject[BareMetalHost]) -> Ramdisk | None:
        """Return the ramdisk of a host's own image; None while that is not ready.

        Also where the host's state needs none: what its node says must not change to and fro.
        """
        model, image = host.model, self._image(host.key)
        wanted = wish(model) if self._parts.builds_ramdisks else None
        if wanted is None or image is None:
            return None
        judged = judge(image, wanted, network_version=self._network(model).version)
        return ramdisk_in(image) if judged.state is RamdiskState.READY else None

    async def ensure(self, host: KubeObject[BareMetalHost]) -> None:
        """Hold a host's network data, and ask for the image that it needs in its state.

        Raises:
            Conflict: one of them has changed since it was read.
        """
        model = host.model
        await self._hold_network_data(host, model)
        wants = self._parts.builds_ramdisks and needs_ramdisk(model)
        wanted = wish(model) if wants else None
        if wanted is None:
            return
        image = self._watch.store.get(host.key)
        if image is None:
            await self._create(host, wanted)
        elif not image.metadata.is_going:
            await self._update(image, host, wanted)

    async def release(self, host: KubeObject[BareMetalHost]) -> None:
        """Let go of a host's image, and have it deleted: the host goes.

        Raises:
            Conflict: the image has changed since it was read.
        """
        client = self._parts.client
        try:
            image = await client.get(PREPROVISIONING_IMAGE, host.key)
            await let_go(client, self._watch, image, finalizer.PREPROVISIONING_IMAGE_OF_HOST)
            if not image.metadata.is_going:
                await client.delete(PREPROVISIONING_IMAGE, host.key, uid=image.metadata.uid)
        except NotFound:
            return

    def _image(self, key: ObjectKey) -> PreprovisioningImage | None:
        found = self._watch.store.get(key)
        return found.model if found else None

    def _network(self, host: BareMetalHost) -> Network:
        key = _network_key(host)
        secret = self._parts.secrets.known(key)
        return look(key, secret, is_missing=key in self._missing) if key.name else Network()

    async def _hold_network_data(
        self, host: KubeObject[BareMetalHost], model: BareMetalHost
    ) -> None:
        """Keep the Secret, and have it watched: a change of it is another ramdisk."""
        key = _network_key(model)
        if not key.name:
            return
        holder = None if model.metadata.is_going else owned_by(host)
        if await self._parts.secrets.get(key, holder=holder) is None:
            self._missing.add(key)
        else:
            self._missing.discard(key)

    async def _create(
        self, host: KubeObject[BareMetalHost], wanted: PreprovisioningImageSpec
    ) -> None:
        body: Content = {
            "metadata": {
                "name": host.metadata.name,
                "namespace": host.metadata.namespace,
                "labels": host.metadata.labels,
                "finalizers": [finalizer.PREPROVISIONING_IMAGE_OF_HOST],
                "ownerReferences": [owned_by(host, controller=True)],
            },
            "spec": written(wanted),
        }
        try:
            await self._parts.client.create(PREPROVISIONING_IMAGE, body)
        except AlreadyExists:
            return  # The watch has not told of it yet, and calls for the host when it does.

    async def _update(
        self,
        image: KubeObject[PreprovisioningImage],
        host: KubeObject[BareMetalHost],
        wanted: PreprovisioningImageSpec,
    ) -> None:
        change = hold(
            image,
            finalizer=finalizer.PREPROVISIONING_IMAGE_OF_HOST,
            owner=owned_by(host, controller=True),
        )
        has = image.metadata.labels
        labels = {
            name: text for name, text in host.metadata.labels.items() if has.get(name) != text
        }
        if labels:
            change["labels"] = labels
        body: dict[str, object] = {}
        if image.model.spec != wanted:
            # None removes: what is asked for no longer is not kept from before.
            gone = dict.fromkeys(image.content.get("spec") or {})
            body["spec"] = {**gone, **written(wanted)}
        if not change and not body:
            return
        body["metadata"] = {**change, "resourceVersion": image.metadata.resource_version}
        self._watch.saw(await self._parts.client.patch(PREPROVISIONING_IMAGE, image.key, body))


def _network_key(host: BareMetalHost) -> ObjectKey:
    return ObjectKey(host.metadata.namespace, host.spec.preprovisioning_network_data_name)


def _status_changed(change: Change[PreprovisioningImage]) -> bool:
    old, new = change.old, change.new
    return old is None or new is None or old.content.get("status") != new.content.get("status")
