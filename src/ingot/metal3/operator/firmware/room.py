"""The door of the room: what the host's controller sees of firmware, and what it has done there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ingot.kube.changes import Change, generation_changed
from ingot.kube.controller import Controller, Source
from ingot.kube.errors import AlreadyExists, NotFound
from ingot.kube.holding import held
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.hostfirmwarecomponents import FirmwareUpdate, HostFirmwareComponents
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettings
from ingot.metal3.api.hostupdatepolicy import HostUpdatePolicy
from ingot.metal3.api.reading import written
from ingot.metal3.host.decision import FirmwareRecord
from ingot.metal3.host.observation import FirmwareSeen
from ingot.metal3.operator.firmware.componentscontroller import ComponentsController
from ingot.metal3.operator.firmware.schemaowners import SchemaOwners
from ingot.metal3.operator.firmware.seeing import firmware_seen
from ingot.metal3.operator.firmware.settingscontroller import SettingsController
from ingot.metal3.operator.kinds import FIRMWARE_COMPONENTS, FIRMWARE_SETTINGS, UPDATE_POLICY
from ingot.metal3.operator.parts import Parts, owned_by

__all__ = ["FirmwareRoom"]


class FirmwareRoom:
    """HostFirmwareSettings, FirmwareSchemas, HostFirmwareComponents and HostUpdatePolicies."""

    def __init__(self, parts: Parts) -> None:
        self._client = parts.client
        watches = parts.runtime.watches
        self._settings: SharedWatch[HostFirmwareSettings] = watches.of(FIRMWARE_SETTINGS)
        self._components: SharedWatch[HostFirmwareComponents] = watches.of(FIRMWARE_COMPONENTS)
        self._policies: SharedWatch[HostUpdatePolicy] = watches.of(UPDATE_POLICY)
        self._rooms = (SettingsController(parts), ComponentsController(parts), SchemaOwners(parts))
        self._made: set[ObjectKey] = set()
        """Settings that were made here, and that the watch has not told of yet."""
        self._shown: dict[ObjectKey, tuple[FirmwareUpdate, ...]] = {}
        """The updates that spec asked for when the host was last looked at."""
        self._settings.subscribe(self._noticed)

    def controllers(self) -> list[Controller]:
        """Return what is run."""
        return [room.controller() for room in self._rooms]

    def sources(self) -> list[Source]:
        """Return what calls for a host's reconcile: a changed wish, and what became of one."""
        return [
            Source(self._settings, keep=_wish_changed, forgives=True),
            Source(self._components, keep=_wish_changed, forgives=True),
            Source(self._policies, keep=generation_changed, forgives=True),
            Source(self._settings, keep=_asks),
            Source(self._components, keep=_asks),
        ]

    def seen(self, host: KubeObject[BareMetalHost]) -> FirmwareSeen:
        """Return what is asked of a host's firmware."""
        key = host.key
        settings, components = self._settings.store.get(key), self._components.store.get(key)
        policy = self._policies.store.get(key)
        asked = components.model if components else None
        self._shown.pop(key, None)
        if asked is not None and asked.spec.updates:
            self._shown[key] = asked.spec.updates
        return firmware_seen(
            settings.model if settings else None, asked, policy.model if policy else None
        )

    async def ensure(self, host: KubeObject[BareMetalHost]) -> None:
        """Have a registered host's settings made, and all of its objects go with it.

        Components are made by their own controller once Ironic has listed some, which a host never
        waits for.

        Raises:
            Conflict: an object that somebody else made has changed since it was read.
        """
        key, owner = host.key, owned_by(host)
        if (settings := self._settings.store.get(key)) is None:
            await self._make(key, owner)
        else:
            await held(self._client, self._settings, settings, owner=owner)
        if (components := self._components.store.get(key)) is not None:
            await held(self._client, self._components, components, owner=owner)
        if (policy := self._policies.store.get(key)) is not None:
            await held(self._client, self._policies, policy, owner=owner)

    async def record(self, host: KubeObject[BareMetalHost], step: FirmwareRecord) -> None:
        """Note that the updates of the last look are made, or that none is.

        What spec asks for since that look is not among them: it was not part of what was ordered.
        """
        found = self._components.store.get(host.key)
        if found is None:
            return
        model = found.model
        made = self._shown.get(host.key, ()) if step is FirmwareRecord.RECORD else ()
        if model.status.updates == made:
            return
        # Nobody else writes this list but to shorten it, with the version that it was read in.
        change = {"status": {"updates": [written(one) for one in made] or None}}
        with suppress(NotFound):
            self._components.saw(
                await self._client.patch(
                    FIRMWARE_COMPONENTS, host.key, change, subresource="status"
                )
            )

    async def _make(self, key: ObjectKey, owner: dict[str, object]) -> None:
        if key in self._made:
            return
        metadata = {"name": key.name, "namespace": key.namespace, "ownerReferences": [owner]}
        with suppress(AlreadyExists):  # The watch is about to tell.
            await self._client.create(
                FIRMWARE_SETTINGS, {"metadata": metadata, "spec": {"settings": {}}}
            )
            if self._settings.store.get(key) is None:
                self._made.add(key)

    def _noticed(self, change: Change[HostFirmwareSettings]) -> None:
        self._made.discard(change.object.key)


def _wish(found: KubeObject[Any] | None) -> object:
    """Return what is asked for, or None; of settings and of components alike."""
    spec = found.content.get("spec", {}) if found else {}
    return spec.get("settings") or spec.get("updates") or None


def _wish_changed(change: Change[Any]) -> bool:
    return generation_changed(change) and _wish(change.old) != _wish(change.new)


def _asks(change: Change[Any]) -> bool:
    return _wish(change.new) is not None
