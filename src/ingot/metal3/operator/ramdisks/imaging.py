"""The controller of PreprovisioningImages: it answers each with what the site has."""

from __future__ import annotations

from datetime import UTC, datetime

from ingot.kube.changes import any_of, finalizers_changed, generation_changed
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.holding import held, let_go
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api import finalizer
from ingot.metal3.api.conditions import ImageReason
from ingot.metal3.api.preprovisioningimage import (
    NetworkDataStatus,
    PreprovisioningImage,
    PreprovisioningImageStatus,
)
from ingot.metal3.api.reading import written
from ingot.metal3.operator.kinds import PREPROVISIONING_IMAGE
from ingot.metal3.operator.parts import Parts
from ingot.metal3.operator.ramdisks.answering import answer, refusal, retry_after
from ingot.metal3.operator.ramdisks.network import look, missing

__all__ = ["ImageController"]


class ImageController:
    """Answers wishes for images."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._watch = parts.runtime.watches.of(PREPROVISIONING_IMAGE)

    def controller(self) -> Controller:
        """Return it for the runtime."""
        # A host's Secret is that of its image, which has the host's name.
        secrets = self._parts.secrets
        return Controller(
            name="preprovisioningimage",
            reconcile=self.reconcile,
            sources=[
                Source(self._watch, keep=any_of(generation_changed, finalizers_changed)),
                Source(secrets.watch, keys=secrets.users, forgives=True),
            ],
            workers=2,
        )

    async def reconcile(self, key: ObjectKey) -> Result:
        """Answer one."""
        found = self._watch.store.get(key)
        if found is None:
            return Result.done()
        client = self._parts.client
        if found.metadata.is_going:
            # Nothing was made for it, so nothing is left to remove.
            await let_go(client, self._watch, found, finalizer.PREPROVISIONING_IMAGE)
            return Result.done()
        found = await held(client, self._watch, found, finalizer=finalizer.PREPROVISIONING_IMAGE)
        image, now = found.model, datetime.now(UTC).replace(microsecond=0)
        status = await self._status(image, now=now)
        await self._write(found, image.status, status)
        return Result.done() if status.image_url else Result.again_in(retry_after(status, now=now))

    async def _status(
        self, image: PreprovisioningImage, *, now: datetime
    ) -> PreprovisioningImageStatus:
        name = image.spec.network_data_name
        if not name:
            return answer(image, self._parts.site.ramdisk, NetworkDataStatus(), now=now)
        key = ObjectKey(image.metadata.namespace, name)
        secret = await self._parts.secrets.get(key)
        if secret is None:
            return refusal(image, ImageReason.MISSING_NETWORK_DATA, missing(key), now=now)
        network = look(key, secret, is_missing=False)
        if network.why:
            return refusal(image, ImageReason.IMAGE_BUILD_INVALID, network.why, now=now)
        made_with = NetworkDataStatus(name=name, version=network.version)
        return answer(image, self._parts.site.ramdisk, made_with, now=now)

    async def _write(
        self,
        found: KubeObject[PreprovisioningImage],
        before: PreprovisioningImageStatus,
        status: PreprovisioningImageStatus,
    ) -> None:
        if status == before:
            return
        # None removes what no longer holds.
        said = {**dict.fromkeys(written(before)), **written(status)}
        body = {
            "metadata": {"resourceVersion": found.metadata.resource_version},
            "status": said,
        }
        self._watch.saw(
            await self._parts.client.patch(
                PREPROVISIONING_IMAGE, found.key, body, subresource="status"
            )
        )
