"""Everything that machines boot, by name: what `ingot image build` makes."""

from __future__ import annotations

from collections.abc import Callable

from ingot.artefact.recipe import Recipe
from ingot.osimage.flavours import lab_image, metal_image
from ingot.osimage.iso import agent_iso
from ingot.osimage.kernel import lab_kernel
from ingot.osimage.mediaimage import media_lab, media_metal
from ingot.osimage.ramdisk import ramdisk

__all__ = ["IMAGES", "everything"]

IMAGES: dict[str, Callable[[], Recipe]] = {
    "lab-kernel": lab_kernel,
    "lab-image": lab_image,
    "metal-image": metal_image,
    "agent-ramdisk": ramdisk,
    "agent-iso": agent_iso,
    "media-lab": media_lab,
    "media-metal": media_metal,
}
"""One line for each image."""


def everything() -> dict[str, Recipe]:
    """Return the recipe of each image."""
    return {name: recipe() for name, recipe in IMAGES.items()}
