"""The kinds that the operator talks to the API server about."""

from __future__ import annotations

from typing import Final, TypeVar

from ingot.kube.crd.definition import Scope
from ingot.kube.kind import Kind
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.bmceventsubscription import BMCEventSubscription
from ingot.metal3.api.dataimage import DataImage
from ingot.metal3.api.firmwareschema import FirmwareSchema
from ingot.metal3.api.hardwaredata import HardwareData
from ingot.metal3.api.hostfirmwarecomponents import HostFirmwareComponents
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettings
from ingot.metal3.api.hostupdatepolicy import HostUpdatePolicy
from ingot.metal3.api.kinds import definition_of
from ingot.metal3.api.preprovisioningimage import PreprovisioningImage
from ingot.metal3.api.reading import read_stored
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DATA_IMAGE",
    "EVENT_SUBSCRIPTION",
    "FIRMWARE_COMPONENTS",
    "FIRMWARE_SCHEMA",
    "FIRMWARE_SETTINGS",
    "HARDWARE_DATA",
    "HOST",
    "PREPROVISIONING_IMAGE",
    "SECRET",
    "UPDATE_POLICY",
]

T = TypeVar("T")


def _kind(model: type[T]) -> Kind[T]:
    definition = definition_of(model)

    def read(raw: bytes) -> T:
        return read_stored(model, raw)

    return Kind(
        group=GROUP,
        version=VERSION,
        kind=definition.kind,
        plural=definition.plural,
        namespaced=definition.scope is Scope.NAMESPACED,
        read=read,
    )


HOST: Final = _kind(BareMetalHost)
HARDWARE_DATA: Final = _kind(HardwareData)
FIRMWARE_SETTINGS: Final = _kind(HostFirmwareSettings)
FIRMWARE_SCHEMA: Final = _kind(FirmwareSchema)
FIRMWARE_COMPONENTS: Final = _kind(HostFirmwareComponents)
UPDATE_POLICY: Final = _kind(HostUpdatePolicy)
PREPROVISIONING_IMAGE: Final = _kind(PreprovisioningImage)
DATA_IMAGE: Final = _kind(DataImage)
EVENT_SUBSCRIPTION: Final = _kind(BMCEventSubscription)
SECRET: Final = Kind.untyped("", "v1", "Secret", "secrets")
