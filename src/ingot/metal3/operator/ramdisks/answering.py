"""What is answered to a wish for an image: the ramdisk that the site has, or why not.

No image is built here. Upstream's own answer is the same; what builds images there is another
program. The network settings that an image is asked for with are not put into it either, but get
to the ramdisk through Ironic:

* A host whose BMC takes an ISO gets the site's kernel and initrd, even where the site has an ISO:
  of those Ironic makes an ISO with the `network_data` of the host's node in it. A finished ISO it
  hands on as it is, and leaves the settings out with a warning in its log.
* A host that boots over the network has to have its address by DHCP before anything of ours runs.
  It gets the same kernel and initrd, and the settings are not used; the condition says so.
* A site that has nothing but an ISO cannot do it at all. That is an error, as a ramdisk without its
  address would be a host that is never heard of.

So the node has its `network_data` in any case. Where an image was built with the settings in it, as
others' builders do, it does no harm: they say the same.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from ingot.metal3.api.conditions import Condition, ConditionStatus, ImageCondition, ImageReason
from ingot.metal3.api.preprovisioningimage import (
    ImageFormat,
    NetworkDataStatus,
    PreprovisioningImage,
    PreprovisioningImageStatus,
)
from ingot.metal3.node.subject import Ramdisk

__all__ = ["answer", "can_answer", "refusal", "retry_after"]

FIRST_RETRY: Final = 10.0
LONGEST_RETRY: Final = 600.0
"""Seconds, as upstream has it: an error is looked at again once it is twice as old."""


def can_answer(site: Ramdisk) -> bool:
    """Whether the site has any ramdisk to answer with."""
    return bool(site.iso or (site.kernel and site.initrd))


def answer(
    image: PreprovisioningImage, site: Ramdisk, network: NetworkDataStatus, *, now: datetime
) -> PreprovisioningImageStatus:
    """Return the status of an image.

    Args:
        image: what is asked for.
        site: what there is.
        network: the Secret with the network settings; unset if none is named.
        now: the time.
    """
    with_network = bool(network.name)
    chosen = _chosen(image.spec.accept_formats, site, with_network=with_network)
    if chosen is None:
        why = _nothing_fits(image.spec.accept_formats, site, with_network=with_network)
        return refusal(image, ImageReason.CONFIGURATION_ERROR, why, now=now)
    is_iso = chosen is ImageFormat.ISO
    status = replace(
        image.status,
        image_url=site.iso if is_iso else site.initrd,
        kernel_url="" if is_iso else site.kernel,
        extra_kernel_params="" if is_iso else site.kernel_params,
        format=chosen,
        architecture=image.spec.architecture,
        network_data=network,
    )
    message = _what_it_is(image, chosen, with_network=with_network)
    return _concluded(image, status, ImageReason.IMAGE_SUCCESS, message, now=now)


def refusal(
    image: PreprovisioningImage, reason: ImageReason, why: str, *, now: datetime
) -> PreprovisioningImageStatus:
    """Return the status of an image that cannot be had."""
    status = replace(image.status, image_url="", kernel_url="", extra_kernel_params="")
    return _concluded(image, status, reason, why, now=now)


def retry_after(status: PreprovisioningImageStatus, *, now: datetime) -> float:
    """Return in how many seconds to look again at an image that cannot be had."""
    error = _known(status, ImageCondition.ERROR)
    age = (now - error.last_transition_time).total_seconds() if error else 0.0
    return min(max(age, 0.0) + FIRST_RETRY, LONGEST_RETRY)


def _chosen(
    formats: tuple[ImageFormat, ...], site: Ramdisk, *, with_network: bool
) -> ImageFormat | None:
    has = {
        ImageFormat.ISO: bool(site.iso) and not with_network,
        ImageFormat.INITRD: bool(site.kernel and site.initrd),
    }
    return next((one for one in formats if has[one]), None)


def _nothing_fits(formats: tuple[ImageFormat, ...], site: Ramdisk, *, with_network: bool) -> str:
    if with_network and site.iso and ImageFormat.ISO in formats:
        return (
            "the site has an ISO only, which cannot take network data along:"
            " give the site a kernel and an initrd too"
        )
    asked = ", ".join(formats) or "nothing"
    return f"the site has no ramdisk in a form that the host can boot, which is {asked}"


def _what_it_is(image: PreprovisioningImage, chosen: ImageFormat, *, with_network: bool) -> str:
    if chosen is ImageFormat.ISO:
        return "the ISO of the site"
    made = "the kernel and initrd of the site"
    if not with_network:
        return made
    if ImageFormat.ISO in image.spec.accept_formats:
        return f"{made}; Ironic adds the network data"
    return f"{made}; the network data is not in it, as the host boots over the network by DHCP"


def _concluded(
    image: PreprovisioningImage,
    status: PreprovisioningImageStatus,
    reason: ImageReason,
    message: str,
    *,
    now: datetime,
) -> PreprovisioningImageStatus:
    good = reason is ImageReason.IMAGE_SUCCESS
    said = {
        ImageCondition.READY: (good, message if good else ""),
        ImageCondition.ERROR: (not good, "" if good else message),
    }
    ours = tuple(
        _condition(image, kind, reason, holds=holds, message=text, now=now)
        for kind, (holds, text) in said.items()
    )
    others = tuple(one for one in status.conditions if one.type not in said)
    return replace(status, conditions=(*ours, *others))


def _condition(
    image: PreprovisioningImage,
    kind: ImageCondition,
    reason: ImageReason,
    *,
    holds: bool,
    message: str,
    now: datetime,
) -> Condition:
    status = ConditionStatus.TRUE if holds else ConditionStatus.FALSE
    before = _known(image.status, kind)
    unchanged = before is not None and before.status is status
    return Condition(
        type=kind,
        status=status,
        reason=reason,
        message=message,
        last_transition_time=before.last_transition_time if before and unchanged else now,
        observed_generation=image.metadata.generation,
    )


def _known(status: PreprovisioningImageStatus, kind: ImageCondition) -> Condition | None:
    return next((one for one in status.conditions if one.type == kind), None)
