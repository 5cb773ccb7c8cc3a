"""HardwareData: what inspection found in the host of the same name."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import AGE, Definition
from ingot.kube.crd.wire import WIRE
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = ["DEFINITION", "HardwareData", "HardwareDataSpec"]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HardwareDataSpec:
    """What inspection found."""

    hardware: HardwareDetails | None = None
    """The host's hardware."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HardwareData:
    """What inspection found in the host of the same name."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["HardwareData"] = "HardwareData"

    spec: HardwareDataSpec = Field(default_factory=HardwareDataSpec)
    """What inspection found."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=HardwareData,
    plural="hardwaredata",
    short_names=("hd",),
    columns=(AGE,),
    has_status=False,
)
