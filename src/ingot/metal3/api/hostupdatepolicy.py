"""HostUpdatePolicy: when a host's firmware may be changed."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.wire import OMIT_UNSET, WIRE
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "HostUpdatePolicy",
    "HostUpdatePolicySpec",
    "HostUpdatePolicyStatus",
    "UpdateMoment",
]


class UpdateMoment(StrEnum):
    """When a change is made."""

    ON_PREPARING = "onPreparing"
    ON_REBOOT = "onReboot"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostUpdatePolicySpec:
    """When changes are made."""

    firmware_settings: UpdateMoment | None = None
    """When settings are changed: before the host is used, or also at a reboot while it is."""

    firmware_updates: UpdateMoment | None = None
    """When firmware is updated, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostUpdatePolicyStatus:
    """Nothing yet."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HostUpdatePolicy:
    """When the firmware of the host of the same name may be changed."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["HostUpdatePolicy"] = "HostUpdatePolicy"

    spec: HostUpdatePolicySpec = Field(default_factory=HostUpdatePolicySpec)
    """When changes are made."""

    status: Annotated[HostUpdatePolicyStatus, OMIT_UNSET] = Field(
        default_factory=HostUpdatePolicyStatus
    )
    """Nothing yet."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=HostUpdatePolicy,
    plural="hostupdatepolicies",
    has_status=False,
)
