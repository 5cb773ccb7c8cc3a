"""What to run on a host: an image, or a deploy step of one's own."""

from __future__ import annotations

from enum import StrEnum

from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import WIRE, Text

__all__ = ["ChecksumType", "CustomDeploy", "DiskFormat", "Image"]


class ChecksumType(StrEnum):
    """How an image's checksum was made."""

    MD5 = "md5"
    SHA256 = "sha256"
    SHA512 = "sha512"
    AUTO = "auto"


class DiskFormat(StrEnum):
    """What an image's file holds."""

    RAW = "raw"
    QCOW2 = "qcow2"
    VDI = "vdi"
    VMDK = "vmdk"
    LIVE_ISO = "live-iso"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Image:
    """An image for a host's disk, or one to boot without a disk."""

    url: str
    """Where the image is: `http`, `https`, `ftp`, `gopher` or `oci`."""

    checksum: Text = ""
    """The image's checksum, or a URL of one. Neither live ISOs nor `oci` images need it."""

    checksum_type: ChecksumType | None = None
    """How the checksum was made. Told by its length when not given or `auto`."""

    format: DiskFormat | None = None
    """What the file holds. A `live-iso` is booted and never written to a disk."""

    oci_auth_secret_name: Text = ""
    """A Secret with the registry's credentials, in the host's namespace. For `oci` images only."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class CustomDeploy:
    """A way to install a host that the ramdisk brings along."""

    method: str
    """The deploy step's name in the ramdisk."""
