"""HostFirmwareSettings: a host's BIOS settings, as they are and as they should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.wire import OMIT_UNSET, REQUIRED, WIRE, Time
from ingot.metal3.api.conditions import Conditions
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.references import SchemaReference
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "HostFirmwareSettings",
    "HostFirmwareSettingsSpec",
    "HostFirmwareSettingsStatus",
]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostFirmwareSettingsSpec:
    """The settings that are wanted."""

    settings: Annotated[Mapping[str, int | str], REQUIRED] = Field(default_factory=dict)
    """Values by the settings' names. What is not named stays as it is."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostFirmwareSettingsStatus:
    """The settings that the host has."""

    schema: SchemaReference | None = None
    """The FirmwareSchema that says what values are allowed."""

    settings: Annotated[Mapping[str, str], REQUIRED] = Field(default_factory=dict)
    """All settings but passwords, by name."""

    last_updated: Time | None = None
    """When this status was last written."""

    conditions: Conditions = ()
    """Whether the wanted settings are valid, and differ from those that the host has."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostFirmwareSettings:
    """The BIOS settings of the host of the same name."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["HostFirmwareSettings"] = "HostFirmwareSettings"

    spec: HostFirmwareSettingsSpec = Field(default_factory=HostFirmwareSettingsSpec)
    """The settings that are wanted."""

    status: Annotated[HostFirmwareSettingsStatus, OMIT_UNSET] = Field(
        default_factory=HostFirmwareSettingsStatus
    )
    """The settings that the host has."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=HostFirmwareSettings,
    plural="hostfirmwaresettings",
    short_names=("hfs",),
)
