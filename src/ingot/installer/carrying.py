"""What the clusters of this machine carry: versions, images, and the node image's checksum."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ingot.artefact.store import Store, file_digest
from ingot.assets.payload import Payload
from ingot.errors import ExitCode, IngotError
from ingot.machine.hypervisor import Flavour
from ingot.osimage.flavours import lab_image, metal_image
from ingot.osimage.kernel import lab_kernel
from ingot.osimage.ramdisk import INITRD, KERNEL, LAB_INITRD, ramdisk
from ingot.payload.ourimages import METAL3, ONPREM, TRAEFIK
from ingot.payload.versions import versions

__all__ = ["NodeImageMissing", "payload"]

LARGE_BYTES: Final = 256 * 1024 * 1024
"""What takes longer than a second to read."""
VARIABLE: Final = "INGOT_NODE_IMAGE"
IMAGES: Final = {"lab": (lab_image, "disk.img"), "metal": (metal_image, "disk.raw")}
"""What is written to servers, by flavour: who makes it, and its file."""
RAMDISK: Final = {
    ("lab", "kernel"): (lab_kernel, "linux"),
    ("lab", "initrd"): (ramdisk, LAB_INITRD),
    ("metal", "kernel"): (ramdisk, KERNEL),
    ("metal", "initrd"): (ramdisk, INITRD),
}
"""What servers boot to be written to, likewise; as the media have it."""


class NodeImageMissing(IngotError):  # noqa: N818 - it says what was seen
    """There is no node image to write to servers."""

    exit_code = ExitCode.INFRASTRUCTURE


def payload(
    flavour: Flavour = "metal", *, on_read: Callable[[Path], None] = lambda _: None
) -> Payload:
    """Return what clusters carry whose machines boot a flavour of our images.

    Args:
        flavour: which.
        on_read: told a large file before it is read.

    Raises:
        NodeImageMissing: the node image is not built.
    """
    return Payload(
        kubernetes=f"v{versions().kubernetes.removeprefix('v')}",
        onprem=ONPREM,
        metal3=METAL3,
        traefik=TRAEFIK,
        disk_sha256=_checksum(flavour, on_read),
        kernel_sha256=_ramdisk_checksum(flavour, "kernel"),
        initrd_sha256=_ramdisk_checksum(flavour, "initrd"),
        slow=flavour == "lab",
    )


def _checksum(flavour: Flavour, on_read: Callable[[Path], None]) -> str:
    if given := os.environ.get(VARIABLE):
        try:
            if Path(given).stat().st_size > LARGE_BYTES:
                on_read(Path(given))
            return file_digest(Path(given))
        except OSError as refused:
            raise NodeImageMissing(
                f"the node image {given} cannot be read: {refused.strerror}",
                remedy=f"correct {VARIABLE}, or unset it to use the one of `ingot image build`",
            ) from refused
    recipe, file = IMAGES[flavour]
    built = Store().find(recipe())
    if built is None or file not in built.files:
        raise NodeImageMissing(
            "the node image is not built, and hosts are told its checksum",
            remedy=f"run `ingot image build {flavour}-image`",
        )
    return built.files[file].sha256


def _ramdisk_checksum(flavour: Flavour, part: str) -> str:
    recipe, file = RAMDISK[flavour, part]
    built = Store().find(recipe())
    return built.files[file].sha256 if built is not None and file in built.files else ""
