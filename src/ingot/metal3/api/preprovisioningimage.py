"""PreprovisioningImage: a ramdisk made for one host."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import Column, Definition
from ingot.kube.crd.wire import OMIT_UNSET, WIRE, Many, Text
from ingot.metal3.api.conditions import Conditions
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "ImageFormat",
    "NetworkDataStatus",
    "PreprovisioningImage",
    "PreprovisioningImageSpec",
    "PreprovisioningImageStatus",
]


class ImageFormat(StrEnum):
    """What form a ramdisk has."""

    ISO = "iso"
    INITRD = "initrd"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class NetworkDataStatus:
    """The network settings that an image was made with."""

    name: Text = ""
    """The Secret's name."""

    version: Text = ""
    """The Secret's resource version."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class PreprovisioningImageSpec:
    """The image that is wanted."""

    network_data_name: Text = ""
    """The Secret with the ramdisk's network settings."""

    architecture: Text = ""
    """The processors' architecture."""

    accept_formats: Many[ImageFormat] = ()
    """The forms that the host can boot, the best first."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class PreprovisioningImageStatus:
    """The image that was made."""

    image_url: Text = ""
    """Where the image is."""

    kernel_url: Text = ""
    """Where its kernel is, if it has one of its own."""

    extra_kernel_params: Text = ""
    """What to add to the kernel's command line."""

    format: ImageFormat | None = None
    """The image's form."""

    network_data: Annotated[NetworkDataStatus, OMIT_UNSET] = Field(
        default_factory=NetworkDataStatus
    )
    """The network settings that it was made with."""

    architecture: Text = ""
    """The architecture that it was made for."""

    conditions: Conditions = ()
    """Whether the image is ready, or cannot be made."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class PreprovisioningImage:
    """A ramdisk for the host of the same name."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["PreprovisioningImage"] = "PreprovisioningImage"

    spec: PreprovisioningImageSpec = Field(default_factory=PreprovisioningImageSpec)
    """The image that is wanted."""

    status: Annotated[PreprovisioningImageStatus, OMIT_UNSET] = Field(
        default_factory=PreprovisioningImageStatus
    )
    """The image that was made."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=PreprovisioningImage,
    plural="preprovisioningimages",
    short_names=("ppimg",),
    columns=(
        Column(
            "Ready", ".status.conditions[?(@.type=='Ready')].status", "Whether it can be booted."
        ),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason", "Why it is so."),
    ),
)
