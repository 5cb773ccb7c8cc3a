"""The image that a host is to run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.image import DiskFormat
from ingot.metal3.webhooks.finding import Finding, shown, warning
from ingot.metal3.webhooks.url import UrlFault, read_url

__all__ = ["checksum_fits", "image_can_be_fetched"]

SCHEMES: Final = ("http", "https", "ftp", "gopher", "oci")
_URL: Final = "spec.image.url"
_CHECKSUM: Final = "spec.image.checksum"


def image_can_be_fetched(host: BareMetalHost) -> Iterator[Finding]:
    """Row 16: the image's URL has a scheme that Ironic may fetch by."""
    if host.spec.image is None:
        return
    url = read_url(host.spec.image.url)
    remedy = f"give a URL that begins with one of {', '.join(SCHEMES)}"
    if isinstance(url, UrlFault):
        yield Finding(_URL, f"{shown(host.spec.image.url)} {url.what}", remedy)
    elif url.scheme not in SCHEMES:
        yield Finding(_URL, f"has the scheme {shown(url.scheme)}", remedy)


def checksum_fits(host: BareMetalHost) -> Iterator[Finding]:
    """Row 17: a checksum where one is needed, none where the registry vouches for the image.

    An unknown checksumType is refused as the object is read.
    """
    image = host.spec.image
    if image is None:
        return
    if image.url[:6].lower() == "oci://":
        if image.checksum:
            yield Finding(
                _CHECKSUM,
                "is given for an oci image, which the registry's digest vouches for",
                "leave it out; name the image by its digest to pin it",
            )
        return
    if not image.checksum and image.format is not DiskFormat.LIVE_ISO:
        yield Finding(
            _CHECKSUM, "is missing", "give the image's checksum, or the URL of a file that has it"
        )
    if image.oci_auth_secret_name:
        yield warning("spec.image.ociAuthSecretName", "has no effect on this URL", "leave it out")
