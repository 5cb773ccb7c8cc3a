"""DataImage: a virtual CD for a host that runs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.wire import OMIT_UNSET, REQUIRED, WIRE, Time
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "AttachedImage",
    "DataImage",
    "DataImageError",
    "DataImageSpec",
    "DataImageStatus",
]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class DataImageSpec:
    """The image that is wanted."""

    url: str
    """Where the image is."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class AttachedImage:
    """An image in the virtual drive."""

    url: str
    """Where the image is."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class DataImageError:
    """What went wrong."""

    count: Annotated[int, REQUIRED] = 0
    """How often in a row."""

    message: Annotated[str, REQUIRED] = ""
    """What was seen last."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class DataImageStatus:
    """What is in the virtual drive."""

    last_reconciled: Time | None = None
    """When the drive was last looked at."""

    attached_image: AttachedImage | None = None
    """The image in the drive."""

    error: Annotated[DataImageError, OMIT_UNSET] = Field(default_factory=DataImageError)
    """What went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class DataImage:
    """A virtual CD for the host of the same name, put in when the host is next turned on."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["DataImage"] = "DataImage"

    spec: DataImageSpec = Field(default_factory=lambda: DataImageSpec(url=""))
    """The image that is wanted."""

    status: Annotated[DataImageStatus, OMIT_UNSET] = Field(default_factory=DataImageStatus)
    """What is in the virtual drive."""


DEFINITION = Definition(group=GROUP, version=VERSION, model=DataImage, plural="dataimages")
