"""The images that a bootstrap VM is made from: its own, and those for servers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingot.artefact.building import Watcher, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Store
from ingot.installer.carrying import IMAGES
from ingot.machine.hypervisor import Flavour
from ingot.osimage.mediaimage import MEDIA, media_lab, media_metal

__all__ = ["VmImages", "vm_images"]

MEDIAS = {"lab": media_lab, "metal": media_metal}


@dataclass(frozen=True, slots=True)
class VmImages:
    """Files that are there.

    Attributes:
        image: the node image.
        media: what servers boot and are written.
    """

    image: Path
    media: Path


def vm_images(flavour: Flavour, watcher: Watcher) -> VmImages:
    """Have the images of a flavour; what is missing is built."""
    recipe, file = IMAGES[flavour]
    wanted: list[Recipe] = [recipe(), MEDIAS[flavour]()]
    made = {one.artefact.key: one.artefact.path for one in make(Store(), wanted, watcher)}
    image, media = (made[one.key] for one in wanted)
    return VmImages(image / file, media / MEDIA)
