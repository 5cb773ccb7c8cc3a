"""HostFirmwareComponents: versions of a host's firmware, and updates of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.wire import OMIT_UNSET, REQUIRED, WIRE, Many, Text, Time
from ingot.metal3.api.conditions import Conditions
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "ComponentStatus",
    "FirmwareUpdate",
    "HostFirmwareComponents",
    "HostFirmwareComponentsSpec",
    "HostFirmwareComponentsStatus",
]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class FirmwareUpdate:
    """New firmware for one component."""

    component: str
    """What is updated: `bios`, `bmc`, or a network card by `nic:` and its name."""

    url: str
    """Where the new firmware is."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class ComponentStatus:
    """The firmware of one component."""

    component: str
    """The component's name."""

    initial_version: str
    """The version that it was first seen with."""

    current_version: Text = ""
    """The version that it has."""

    last_version_flashed: Text = ""
    """The version that was last written to it."""

    updated_at: Time | None = None
    """When that was."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostFirmwareComponentsSpec:
    """The updates that are wanted."""

    updates: Annotated[tuple[FirmwareUpdate, ...], REQUIRED] = ()
    """One entry for each component to update."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostFirmwareComponentsStatus:
    """The firmware that the host has."""

    updates: Many[FirmwareUpdate] = ()
    """The updates that were last made."""

    components: Many[ComponentStatus] = ()
    """The components and their versions."""

    last_updated: Time | None = None
    """When this status was last written."""

    conditions: Conditions = ()
    """Whether the wanted updates are valid, and differ from those that were made."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostFirmwareComponents:
    """The firmware of the host of the same name."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["HostFirmwareComponents"] = "HostFirmwareComponents"

    spec: HostFirmwareComponentsSpec = Field(default_factory=HostFirmwareComponentsSpec)
    """The updates that are wanted."""

    status: Annotated[HostFirmwareComponentsStatus, OMIT_UNSET] = Field(
        default_factory=HostFirmwareComponentsStatus
    )
    """The firmware that the host has."""


DEFINITION = Definition(
    group=GROUP, version=VERSION, model=HostFirmwareComponents, plural="hostfirmwarecomponents"
)
