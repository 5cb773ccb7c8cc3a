"""Whether an image is the one that is wanted, and can be booted."""

from __future__ import annotations

from ingot.metal3.api.conditions import Condition, ConditionStatus, ImageCondition
from ingot.metal3.api.preprovisioningimage import (
    ImageFormat,
    PreprovisioningImage,
    PreprovisioningImageSpec,
)
from ingot.metal3.host.observation import RamdiskSeen, RamdiskState
from ingot.metal3.node.subject import Ramdisk

__all__ = ["judge", "ramdisk_in"]


def judge(
    image: PreprovisioningImage | None,
    wanted: PreprovisioningImageSpec,
    *,
    network_version: str,
) -> RamdiskSeen:
    """Return what is to be known of a host's image.

    Args:
        image: None if there is none.
        wanted: what the host needs.
        network_version: of the Secret with the network settings; "" if there is none.
    """
    if image is None or image.metadata.is_going:
        return _pending("it is not there yet")
    if image.spec != wanted:
        return _pending("it is asked for anew")
    # An error comes first: whoever could not make an image left the rest as it was.
    error = _about_now(image, ImageCondition.ERROR)
    if error is not None and error.status is ConditionStatus.TRUE:
        why = error.message or error.reason
        return RamdiskSeen(state=RamdiskState.FAILED, version=_version(image), why=why)
    stale = _stale(image, network_version)
    if stale:
        return _pending(stale)
    ready = _about_now(image, ImageCondition.READY)
    if ready is None or ready.status is not ConditionStatus.TRUE or not image.status.image_url:
        return _pending(ready.message if ready and ready.message else "nobody has made it yet")
    return RamdiskSeen(state=RamdiskState.READY, version=_version(image))


def ramdisk_in(image: PreprovisioningImage) -> Ramdisk:
    """Return what to boot of an image that is ready."""
    made = image.status
    if made.format is ImageFormat.ISO:
        return Ramdisk(iso=made.image_url)
    return Ramdisk(
        initrd=made.image_url, kernel=made.kernel_url, kernel_params=made.extra_kernel_params
    )


def _pending(why: str) -> RamdiskSeen:
    return RamdiskSeen(state=RamdiskState.PENDING, why=why)


def _about_now(image: PreprovisioningImage, kind: ImageCondition) -> Condition | None:
    """Return a condition, if it is about what is asked for now."""
    return next(
        (
            one
            for one in image.status.conditions
            if one.type == kind and one.observed_generation == image.metadata.generation
        ),
        None,
    )


def _stale(image: PreprovisioningImage, network_version: str) -> str:
    """Return in what an image is another one than is asked for; "" if in nothing."""
    asked, made = image.spec, image.status
    if made.architecture != asked.architecture:
        return "it is for another architecture"
    if made.format not in asked.accept_formats:
        return "it has a form that the host cannot boot"
    if made.network_data.name != asked.network_data_name:
        return "it was made with other network data"
    if asked.network_data_name and made.network_data.version != network_version:
        return "its network data has changed since it was made"
    return ""


def _version(image: PreprovisioningImage) -> str:
    made = image.status
    parts = (
        made.image_url,
        made.kernel_url,
        made.extra_kernel_params,
        made.network_data.name,
        made.network_data.version,
    )
    return " ".join(part for part in parts if part)
