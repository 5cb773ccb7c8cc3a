"""The container images of an install, in one archive: kubeadm's set, and ours.

The archive is a result of its own, `images.json` beside it says what is in it. Everything costly
(binaries, Debian layers, Python trees) is made by other recipes, so that a change of our own source
costs one small layer and the writing of the archive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ingot import __version__
from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.payload.golang import architecture
from ingot.payload.imageparts import ImageParts
from ingot.payload.kubeadmimages import kubeadm_images
from ingot.payload.oci import Image, Written, write_archive
from ingot.payload.ourimages import our_images
from ingot.payload.source import Source
from ingot.payload.versions import versions

__all__ = ["ARCHIVE", "FACTS", "ImageFacts", "LayerFacts", "images", "read_facts"]

ARCHIVE = "images.tar"
FACTS = "images.json"
ARCHIVE_BYTES = 3_000_000_000


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """What `images.json` says of a layer."""

    name: str
    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What `images.json` says of an image."""

    names: tuple[str, ...]
    version: str
    digest: str
    size: int
    layers: tuple[LayerFacts, ...]
    origin: str


def images(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of all container images: `images.tar` and `images.json`."""
    parts = ImageParts.planned(source)

    def build(workshop: Workshop) -> None:
        shelf = parts.made(workshop)
        wanted: Sequence[Image] = (*kubeadm_images(shelf), *our_images(shelf))
        written = write_archive(wanted, workshop.out / ARCHIVE, architecture=architecture())
        facts = [asdict(_facts(one)) for one in written]
        text = json.dumps({"images": facts}, indent=1)
        (workshop.out / FACTS).write_text(f"{text}\n", encoding="utf-8")

    pinned = versions()
    return Recipe(
        "container-images",
        build,
        inputs={
            "architecture": architecture(),
            "coredns": pinned.coredns_tag,
            "etcd": pinned.etcd_tag,
            "ingot": __version__,
            "kubernetes": pinned.kubernetes,
            "pause": pinned.pause_tag,
            "registry": pinned.image_registry,
        },
        needs=parts.recipes,
        disk_bytes=ARCHIVE_BYTES,
    )


def read_facts(folder: Path) -> list[ImageFacts]:
    """Return what is in the images that a folder holds."""
    listed = json.loads((folder / FACTS).read_text(encoding="utf-8"))["images"]
    return [
        ImageFacts(
            names=tuple(facts["names"]),
            version=facts["version"],
            digest=facts["digest"],
            size=facts["size"],
            layers=tuple(LayerFacts(**layer) for layer in facts["layers"]),
            origin=facts["origin"],
        )
        for facts in listed
    ]


def _facts(written: Written) -> ImageFacts:
    image = written.image
    return ImageFacts(
        names=image.names,
        version=image.version,
        digest=written.digest,
        size=written.size,
        layers=tuple(LayerFacts(one.path.stem, one.digest, one.size) for one in image.layers),
        origin=image.origin,
    )
