"""Keeps all who refer to a FirmwareSchema as its owners, so that it goes with the last of them.

A rack of equal servers shares one schema. Each joining by a write of its own would send the whole
list of owners as often as there are servers, so those that come together join together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from ingot.kube.client import Patch
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.errors import NotFound
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch
from ingot.metal3.api.firmwareschema import FirmwareSchema
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettings
from ingot.metal3.operator.firmware.settingscontroller import owner_reference
from ingot.metal3.operator.kinds import FIRMWARE_SCHEMA, FIRMWARE_SETTINGS
from ingot.metal3.operator.parts import Parts

__all__ = ["SchemaOwners"]

GATHER_SECONDS: Final = 1.0
"""How long to wait for others that join."""


class SchemaOwners:
    """One for all schemas."""

    def __init__(self, parts: Parts) -> None:
        self._client = parts.client
        watches = parts.runtime.watches
        self._settings: SharedWatch[HostFirmwareSettings] = watches.of(FIRMWARE_SETTINGS)
        self._schemas: SharedWatch[FirmwareSchema] = watches.of(FIRMWARE_SCHEMA)

    def controller(self) -> Controller:
        """Return what is run."""
        return Controller(
            name="firmwareschema",
            reconcile=self.reconcile,
            sources=[
                Source(self._settings, keys=self._joined),
                Source(self._schemas, keep=lambda change: change.old is None),
            ],
        )

    async def reconcile(self, key: ObjectKey) -> Result:
        """Have all users of a schema among its owners."""
        if not self._joining(key):
            return Result.done()
        await asyncio.sleep(GATHER_SECONDS)
        schema, joining = self._schemas.store.get(key), self._joining(key)
        if schema is None or not joining:
            return Result.done()
        owners = [owner_reference(one) for one in joining]
        place = "/metadata/ownerReferences"
        change = (
            [{"op": "add", "path": f"{place}/-", "value": owner} for owner in owners]
            if schema.metadata.owner_references
            else [{"op": "add", "path": place, "value": owners}]
        )
        try:
            patched = await self._client.patch(FIRMWARE_SCHEMA, key, change, how=Patch.JSON)
        except NotFound:
            return Result.done()
        self._schemas.saw(patched)
        return Result.done()

    def _joining(self, key: ObjectKey) -> list[KubeObject[HostFirmwareSettings]]:
        schema = self._schemas.store.get(key)
        if schema is None or schema.metadata.is_going:
            return []
        owners = {owner.uid for owner in schema.metadata.owner_references}
        # As text, since a thousand of them are looked through each time.
        name = f'"{key.name}"'.encode()
        return [
            one
            for one in self._settings.store.within(key.namespace)
            if one.metadata.uid not in owners and not one.metadata.is_going and name in one.raw
        ]

    def _joined(self, settings: KubeObject[Any]) -> Iterable[ObjectKey]:
        """Return the schema that settings refer to, unless they are among its owners."""
        reference = settings.model.status.schema
        if reference is None:
            return ()
        key = ObjectKey(settings.metadata.namespace, reference.name)
        schema = self._schemas.store.get(key)
        owners = schema.metadata.owner_references if schema else ()
        return () if any(owner.uid == settings.metadata.uid for owner in owners) else (key,)
