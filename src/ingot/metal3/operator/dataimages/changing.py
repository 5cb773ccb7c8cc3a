"""Putting an image into a host's virtual drive, and taking it out.

Ironic accepts such a wish at once, and fetches the image before it asks the BMC, which may take
minutes. While it is at it, the node is locked; afterwards the node's last error tells how it went.
So a change is begun by one call of `change` and concluded by a later one. What was begun is only
remembered here: after a restart it is begun again, which does no harm to a server that is off.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ingot.ironic.bmc import Device
from ingot.ironic.node import NodeId
from ingot.ironic.refusal import FaultError, IronicError
from ingot.kube.digest import Severity
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api.dataimage import DataImage, DataImageStatus
from ingot.metal3.api.reading import written
from ingot.metal3.operator.dataimages.seeing import failed, succeeded
from ingot.metal3.operator.kinds import DATA_IMAGE
from ingot.metal3.operator.parts import Parts

__all__ = ["Drives"]

ATTACHED: Final = "DataImageAttached"
DETACHED: Final = "DataImageDetached"
FAILED: Final = "DataImageError"


@dataclass(frozen=True, slots=True)
class _Begun:
    """A change that Ironic has accepted."""

    node: NodeId
    url: str | None


class Drives:
    """The virtual drives of all hosts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._watch = parts.runtime.watches.of(DATA_IMAGE)
        self._begun: dict[ObjectKey, _Begun] = {}

    def is_changing(self, key: ObjectKey) -> bool:
        """Whether a change was begun and not concluded."""
        return key in self._begun

    def forget(self, key: ObjectKey) -> None:
        """Let go of what was begun for a DataImage that is gone."""
        self._begun.pop(key, None)

    async def change(self, found: KubeObject[DataImage], node: NodeId, url: str | None) -> None:
        """Bring a change nearer to its end: begin it, or conclude it.

        Args:
            found: the DataImage, whose status is written.
            node: the host's node.
            url: what should be in the drive; None for nothing.

        Raises:
            IronicError: Ironic could not be asked, or the node is gone or busy.
        """
        status = (await self._parts.ironic.nodes.get(node)).status
        if status.reservation is not None:
            return
        begun = self._begun.pop(found.key, None)
        if begun is None or begun.node != node:
            await self._begin(found, node, url)
        elif status.last_error:
            await self._fail(found, begun.url, status.last_error)
        else:
            await self._succeed(found, begun.url)

    async def write(self, found: KubeObject[DataImage], status: DataImageStatus) -> None:
        """Write a status."""
        # None removes what no longer holds.
        empty = dict.fromkeys(("attachedImage", "error"))
        change = {"status": {**empty, **written(status)}}
        self._watch.saw(
            await self._parts.client.patch(DATA_IMAGE, found.key, change, subresource="status")
        )

    async def _begin(self, found: KubeObject[DataImage], node: NodeId, url: str | None) -> None:
        bmc = self._parts.ironic.bmc
        try:
            if url is None:
                await bmc.detach_media(node, device=Device.CDROM)
            else:
                await bmc.attach_media(node, url, device=Device.CDROM)
        except IronicError as error:
            if error.retry_after is not None and not isinstance(error, FaultError):
                raise
            await self._fail(found, url, error.reason)
            return
        self._begun[found.key] = _Begun(node, url)
        self._parts.census.touch(node)

    async def _succeed(self, found: KubeObject[DataImage], url: str | None) -> None:
        await self.write(found, succeeded(url, now=datetime.now(UTC)))
        reason, said = (ATTACHED, f"{url} is in") if url else (DETACHED, "nothing is in")
        self._parts.runtime.recorder.record(found, reason, f"{said} the virtual drive")

    async def _fail(self, found: KubeObject[DataImage], url: str | None, why: str) -> None:
        status = failed(found.model.status, url, why, now=datetime.now(UTC))
        await self.write(found, status)
        self._parts.runtime.recorder.record(
            found, FAILED, status.error.message, severity=Severity.WARNING
        )
