"""Keeps the status of HostFirmwareSettings, and makes the FirmwareSchema that it refers to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from ingot.ironic.hardware import BiosSetting
from ingot.ironic.refusal import NotFoundError
from ingot.kube.changes import Change, annotations_changed, any_of, generation_changed
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.errors import AlreadyExists
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.firmwareschema import FirmwareSchema, FirmwareSchemaSpec
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettings
from ingot.metal3.api.reading import written
from ingot.metal3.api.references import SchemaReference
from ingot.metal3.operator.firmware.conditions import complaint, is_judged
from ingot.metal3.operator.firmware.following import is_followed, node_of, offers_settings
from ingot.metal3.operator.firmware.reading import RARELY
from ingot.metal3.operator.firmware.readings import Readings
from ingot.metal3.operator.firmware.schemas import schema_name, schema_spec
from ingot.metal3.operator.firmware.settings import settings_status
from ingot.metal3.operator.kinds import FIRMWARE_SCHEMA, FIRMWARE_SETTINGS
from ingot.metal3.operator.parts import Parts

__all__ = ["SettingsController"]

WORKERS: Final = 4


@dataclass(frozen=True, slots=True)
class _Subject:
    """The settings of a host, and the host, as both are stored."""

    found: KubeObject[HostFirmwareSettings]
    model: HostFirmwareSettings
    host: BareMetalHost

    @property
    def key(self) -> ObjectKey:
        return self.found.key


class SettingsController:
    """One for all hosts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        watches = parts.runtime.watches
        self._settings: SharedWatch[HostFirmwareSettings] = watches.of(FIRMWARE_SETTINGS)
        self._schemas: SharedWatch[FirmwareSchema] = watches.of(FIRMWARE_SCHEMA)
        self._readings = Readings(parts.census)

    def controller(self) -> Controller:
        """Return what is run."""
        return Controller(
            name="hostfirmwaresettings",
            reconcile=self.reconcile,
            sources=[
                Source(self._settings, keep=generation_changed, forgives=True),
                Source(self._parts.hosts, keep=any_of(generation_changed, annotations_changed)),
                Source(self._schemas, keep=_went, keys=self._bereft),
            ],
            callers=[self._parts.census.on_change],
            workers=WORKERS,
        )

    async def reconcile(self, key: ObjectKey) -> Result:
        """Read a host's settings if there may be something new, and tell of them."""
        found, host = self._settings.store.get(key), self._parts.hosts.store.get(key)
        if found is None or host is None:
            self._readings.forget(key)
            return Result.done()
        idle = self._readings.idle(key, _mark(found))
        if idle is not None:
            return idle
        if found.metadata.is_going or not is_followed(host):
            return Result.done()
        subject = _Subject(found, found.model, host.model)
        if not offers_settings(subject.host.spec, self._parts.site.driver):
            await self._tell(subject, ())
            return Result.done()
        return await self._read(subject)

    async def _read(self, subject: _Subject) -> Result:
        node = node_of(self._parts, subject.host)
        if node is None:
            return Result.done()
        key, mark = subject.key, _mark(subject.found)
        asked = bool(subject.model.spec.settings)
        if self._is_told(subject):
            self._readings.inherit(key, node, asked=asked, mark=mark)
        if not self._readings.has(key, mark):
            self._readings.forget(key)
        wait = self._readings.wait(key, node, asked=asked)
        if wait is None:
            return Result.done()
        if wait > 0:
            return Result.again_in(wait)
        try:
            settings = await self._parts.ironic.hardware.bios_settings(node.uuid)
        except NotFoundError:
            return Result.done()
        await self._tell(subject, settings)
        self._readings.note(key, node, asked=asked, mark=mark)
        return Result.again_in(RARELY)

    def _is_told(self, subject: _Subject) -> bool:
        """Return whether the status is about the present spec, and its schema is there."""
        status = subject.model.status
        schema = status.schema
        return is_judged(status.conditions, subject.found.metadata.generation) and (
            schema is None or self._schema(subject.key, schema.name) is not None
        )

    async def _tell(self, subject: _Subject, settings: Sequence[BiosSetting]) -> None:
        schema = await self._schema_for(subject, settings) if settings else None
        old = subject.model.status
        status = settings_status(
            old,
            subject.model.spec.settings,
            settings,
            schema=schema,
            generation=subject.found.metadata.generation,
            now=datetime.now(UTC).replace(microsecond=0),
        )
        if status is old:
            return
        content = subject.found.content
        content["status"] = written(status)
        put = await self._parts.client.replace(FIRMWARE_SETTINGS, content, subresource="status")
        self._settings.saw(put)
        wrong = complaint(status.conditions)
        if wrong and wrong != complaint(old.conditions):
            self._parts.runtime.recorder.record(
                put, EventReason.VALIDATION_FAILED, wrong, severity=Severity.WARNING
            )

    async def _schema_for(
        self, subject: _Subject, settings: Sequence[BiosSetting]
    ) -> SchemaReference:
        """Return the schema of the settings, made if it is not there."""
        spec = schema_spec(settings, subject.host.status.hardware)
        name = schema_name(spec)
        known = self._schema(subject.key, name)
        if known is None:
            await self._make_schema(subject, name, spec)
        elif spec.hardware_vendor and b'"hardwareVendor"' not in known.raw:
            # It was made before its first host was inspected.
            whose = written(spec)
            whose.pop("schema")
            self._schemas.saw(
                await self._parts.client.patch(FIRMWARE_SCHEMA, known.key, {"spec": whose})
            )
        return SchemaReference(name=name, namespace=subject.key.namespace)

    async def _make_schema(self, subject: _Subject, name: str, spec: FirmwareSchemaSpec) -> None:
        body = {
            "metadata": {
                "name": name,
                "namespace": subject.key.namespace,
                "ownerReferences": [owner_reference(subject.found)],
            },
            "spec": written(spec),
        }
        try:
            await self._parts.client.create(FIRMWARE_SCHEMA, body)
        except AlreadyExists:
            return  # A host of the same kind was faster; who shares it is added to its owners.

    def _schema(self, key: ObjectKey, name: str) -> KubeObject[FirmwareSchema] | None:
        return self._schemas.store.get(ObjectKey(key.namespace, name))

    def _bereft(self, schema: KubeObject[Any]) -> Iterable[ObjectKey]:
        """Return whose schema has gone; they are read anew."""
        name = schema.metadata.name.encode()
        within = self._settings.store.within(schema.metadata.namespace)
        bereft = [one.key for one in within if name in one.raw]
        for key in bereft:
            self._readings.forget(key)
        return bereft


def owner_reference(settings: KubeObject[HostFirmwareSettings]) -> dict[str, object]:
    """Return the reference by which a schema goes when the last of its users goes."""
    return {
        "apiVersion": FIRMWARE_SETTINGS.api_version,
        "kind": FIRMWARE_SETTINGS.kind,
        "name": settings.metadata.name,
        "uid": settings.metadata.uid,
    }


def _mark(found: KubeObject[HostFirmwareSettings]) -> str:
    return f"{found.metadata.uid} {found.metadata.generation}"


def _went(change: Change[Any]) -> bool:
    return change.new is None
