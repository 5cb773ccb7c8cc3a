"""FirmwareSchema: what values the BIOS settings of one server model may have."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.wire import REQUIRED, WIRE, Many, Text
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "AttributeType",
    "FirmwareSchema",
    "FirmwareSchemaSpec",
    "SettingSchema",
]

AS_REDFISH_HAS_IT = ConfigDict(**{**WIRE, "alias_generator": None})
"""The names inside a setting's schema are Ironic's own, with underscores."""


class AttributeType(StrEnum):
    """What kind of value a setting has."""

    ENUMERATION = "Enumeration"
    STRING = "String"
    INTEGER = "Integer"
    BOOLEAN = "Boolean"
    PASSWORD = "Password"  # noqa: S105 - the kind of a setting


@dataclass(frozen=True, slots=True, kw_only=True, config=AS_REDFISH_HAS_IT)
class SettingSchema:
    """What values one setting may have. A limit that is absent does not limit."""

    attribute_type: AttributeType | None = None
    """What kind of value it has."""

    allowable_values: Many[str] = ()
    """The values of an Enumeration."""

    lower_bound: int | None = None
    """The least Integer."""

    upper_bound: int | None = None
    """The greatest Integer."""

    min_length: int | None = None
    """The length of the shortest String."""

    max_length: int | None = None
    """The length of the longest String."""

    read_only: bool | None = None
    """Whether it cannot be changed."""

    unique: bool | None = None
    """Whether its value is another one on each server."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class FirmwareSchemaSpec:
    """What values settings may have."""

    hardware_vendor: Text = ""
    """Who made the servers that it is about."""

    hardware_model: Text = ""
    """Their model."""

    schema: Annotated[Mapping[str, SettingSchema], REQUIRED] = Field(default_factory=dict)
    """What values each setting may have, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class FirmwareSchema:
    """What values the BIOS settings of one server model may have."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["FirmwareSchema"] = "FirmwareSchema"

    spec: FirmwareSchemaSpec = Field(default_factory=FirmwareSchemaSpec)
    """What values settings may have."""


DEFINITION = Definition(
    group=GROUP, version=VERSION, model=FirmwareSchema, plural="firmwareschemas", has_status=False
)
