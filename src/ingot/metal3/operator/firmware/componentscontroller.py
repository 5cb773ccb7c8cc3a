"""Makes HostFirmwareComponents for hosts that have any, and keeps their status."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from ingot.ironic.refusal import NotFoundError
from ingot.kube.changes import annotations_changed, any_of, generation_changed
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.errors import AlreadyExists
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.hostfirmwarecomponents import ComponentStatus, HostFirmwareComponents
from ingot.metal3.api.reading import written
from ingot.metal3.node.firmware import components
from ingot.metal3.operator.firmware.components import components_status
from ingot.metal3.operator.firmware.conditions import complaint
from ingot.metal3.operator.firmware.following import is_followed, node_of, offers_updates
from ingot.metal3.operator.firmware.reading import RARELY
from ingot.metal3.operator.firmware.readings import Readings
from ingot.metal3.operator.kinds import FIRMWARE_COMPONENTS
from ingot.metal3.operator.parts import Parts, owned_by

__all__ = ["ComponentsController"]

WORKERS: Final = 4


class ComponentsController:
    """One for all hosts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._watch: SharedWatch[HostFirmwareComponents] = parts.runtime.watches.of(
            FIRMWARE_COMPONENTS
        )
        self._readings = Readings(parts.census)
        self._listed: dict[ObjectKey, tuple[ComponentStatus, ...]] = {}

    def controller(self) -> Controller:
        """Return what is run."""
        return Controller(
            name="hostfirmwarecomponents",
            reconcile=self.reconcile,
            sources=[
                Source(self._watch, keep=generation_changed, forgives=True),
                Source(self._watch),  # That updates were made is written by the host's controller.
                Source(self._parts.hosts, keep=any_of(generation_changed, annotations_changed)),
            ],
            callers=[self._parts.census.on_change],
            workers=WORKERS,
        )

    async def reconcile(self, key: ObjectKey) -> Result:
        """Read a host's components if there may be something new, and tell of them."""
        host, found = self._parts.hosts.store.get(key), self._watch.store.get(key)
        if host is None:
            self._readings.forget(key)
            self._listed.pop(key, None)
            return Result.done()
        idle = self._readings.idle(key, _mark(found))
        if idle is not None:
            return idle
        if not is_followed(host):
            return Result.done()
        model = host.model
        offered = offers_updates(model.spec, self._parts.site.driver)
        wanted = found.model if found else None
        asked = wanted is not None and bool(wanted.spec.updates)
        result = await self._read(key, model, wanted) if offered else Result.done()
        if found is not None and wanted is not None:
            found = await self._tell(found, wanted, offered=offered)
        elif self._listed.get(key):
            await self._make(host)
        self._readings.mark(key, asked=asked, mark=_mark(found))
        return result

    async def _read(
        self, key: ObjectKey, host: BareMetalHost, wanted: HostFirmwareComponents | None
    ) -> Result:
        """Have what Ironic lists, as new as it can be; return when to look again."""
        node = node_of(self._parts, host)
        if node is None:
            return Result.done()
        asked = wanted is not None and bool(wanted.spec.updates)
        if wanted is not None and wanted.status.components:
            self._readings.inherit(key, node, asked=asked, mark="")
        wait = self._readings.wait(key, node, asked=asked)
        if wait is None:
            return Result.done()
        if wait > 0:
            return Result.again_in(wait)
        with suppress(NotFoundError):  # It is being registered anew: the census tells.
            self._listed[key] = components(await self._parts.ironic.hardware.firmware(node.uuid))
            self._readings.note(key, node, asked=asked, mark="")
        return Result.again_in(RARELY)

    async def _tell(
        self,
        found: KubeObject[HostFirmwareComponents],
        model: HostFirmwareComponents,
        *,
        offered: bool,
    ) -> KubeObject[HostFirmwareComponents]:
        """Write the status if it says something new, and return the object as it then is."""
        if found.metadata.is_going:
            return found
        status = components_status(
            model.status,
            model.spec.updates,
            self._listed.get(found.key, model.status.components),
            offered=offered,
            generation=found.metadata.generation,
            now=datetime.now(UTC).replace(microsecond=0),
        )
        if status is model.status:
            return found
        content = found.content
        content["status"] = written(status)
        put = await self._parts.client.replace(FIRMWARE_COMPONENTS, content, subresource="status")
        self._watch.saw(put)
        wrong = complaint(status.conditions)
        if wrong and wrong != complaint(model.status.conditions):
            self._parts.runtime.recorder.record(
                put, EventReason.VALIDATION_FAILED, wrong, severity=Severity.WARNING
            )
        return put

    async def _make(self, host: KubeObject[BareMetalHost]) -> None:
        body = {
            "metadata": {
                "name": host.metadata.name,
                "namespace": host.metadata.namespace,
                "ownerReferences": [owned_by(host)],
            },
            "spec": {"updates": []},
        }
        with suppress(AlreadyExists):  # The watch tells of it, and then its status is written.
            await self._parts.client.create(FIRMWARE_COMPONENTS, body)


def _mark(found: KubeObject[HostFirmwareComponents] | None) -> str:
    return found.metadata.resource_version if found else "none"
