"""PreprovisioningImages for tables."""

from __future__ import annotations

from datetime import UTC, datetime

from ingot.metal3.api.conditions import Condition, ConditionStatus, ImageCondition, ImageReason
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.preprovisioningimage import (
    ImageFormat,
    PreprovisioningImage,
    PreprovisioningImageSpec,
    PreprovisioningImageStatus,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
BOTH = (ImageFormat.ISO, ImageFormat.INITRD)


def spec(
    *, formats: tuple[ImageFormat, ...] = BOTH, network: str = "", architecture: str = "x86_64"
) -> PreprovisioningImageSpec:
    return PreprovisioningImageSpec(
        network_data_name=network, architecture=architecture, accept_formats=formats
    )


def image(
    asked: PreprovisioningImageSpec | None = None,
    status: PreprovisioningImageStatus | None = None,
    *,
    generation: int = 2,
    going: bool = False,
) -> PreprovisioningImage:
    return PreprovisioningImage(
        metadata=Metadata(
            name="worker-0",
            namespace="metal3",
            generation=generation,
            deletion_timestamp=NOW if going else None,
        ),
        spec=asked or spec(),
        status=status or PreprovisioningImageStatus(),
    )


def condition(
    kind: ImageCondition, *, holds: bool, generation: int = 2, message: str = ""
) -> Condition:
    return Condition(
        type=kind,
        status=ConditionStatus.TRUE if holds else ConditionStatus.FALSE,
        reason=ImageReason.IMAGE_SUCCESS,
        message=message,
        last_transition_time=NOW,
        observed_generation=generation,
    )
