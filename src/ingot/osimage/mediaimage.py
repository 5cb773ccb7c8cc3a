"""The media: one read-only file system with all that servers are provisioned from.

The bootstrap VM has it as a second drive, found by its label, and its web server serves the files
right from there. So the node image, gigabytes, is copied once, when the media is made, and what is
sparse in it stays so: blocks of zeros are neither written nor take room.

    disk.img, disk.img.sha256   the node image, raw
    kernel, initrd              the agent ramdisk, for network boot and virtual media
    agent.iso                   the same as a bootable ISO; metal only, the lab's kernel has none

`media.json` beside the image says what is in it, so that nobody has to read it for its checksum.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import FileFacts
from ingot.osimage.disk import BLOCK, MIB, TIMES, DiskTools, disk_tools
from ingot.osimage.flavours import lab_image, metal_image
from ingot.osimage.iso import ISO, agent_iso
from ingot.osimage.kernel import lab_kernel
from ingot.osimage.ramdisk import INITRD, KERNEL, LAB_INITRD, ramdisk
from ingot.payload.source import Source

__all__ = ["FACTS", "LABEL", "MEDIA", "Part", "media", "media_lab", "media_metal"]

LABEL: Final = "INGOT-MEDIA"
MEDIA: Final = "media.img"
FACTS: Final = "media.json"
FILESYSTEM_ID: Final = UUID("1f0a6b1e-6f2d-4a0e-9d35-1b6c8e2f4a05")

SPARE: Final = 24 * MIB
"""Room beside the files: what the file system itself needs, and what is rounded up."""
METADATA_SHARE: Final = 0.01
"""Of the content: bitmaps, and the trees of extents of a sparse file. There is no journal."""
INODES: Final = 64
DISK_BYTES: Final = 6_000_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the media: what makes it, and how it is called there."""

    recipe: Recipe
    file: str


def media_lab(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of the media for machines of the lab."""
    agent = ramdisk()
    return media(
        "media-lab",
        {
            "disk.img": Part(lab_image(source), "disk.img"),
            "kernel": Part(lab_kernel(), "linux"),
            "initrd": Part(agent, LAB_INITRD),
        },
    )


def media_metal(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of the media for servers."""
    agent = ramdisk()
    return media(
        "media-metal",
        {
            "disk.img": Part(metal_image(source), "disk.raw"),
            "kernel": Part(agent, KERNEL),
            "initrd": Part(agent, INITRD),
            "agent.iso": Part(agent_iso(), ISO),
        },
    )


def media(name: str, parts: Mapping[str, Part]) -> Recipe:
    """Return the recipe of `media.img` and `media.json`.

    Args:
        name: what it is called in the store.
        parts: each file, by its name on the media; one of them is `disk.img`.
    """
    tools = disk_tools()
    needs = {part.recipe.key: part.recipe for part in parts.values()}

    def build(workshop: Workshop) -> None:
        disk = DiskTools.unpacked(workshop, tools)
        facts = {}
        for file, part in parts.items():
            # A link: nothing is copied yet. Its mode and times are the store's own, and stay.
            os.link(workshop.need(part.recipe) / part.file, disk.root / file)
            facts[file] = _facts(workshop, part)
        checksum = f"{facts['disk.img'].sha256}  disk.img\n"
        (disk.root / "disk.img.sha256").write_text(checksum, encoding="utf-8")
        image = _write(workshop, disk)
        image.rename(workshop.out / MEDIA)
        told = {"label": LABEL, "files": {file: asdict(one) for file, one in facts.items()}}
        (workshop.out / FACTS).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

    return Recipe(
        name,
        build,
        inputs={
            "files": " ".join(f"{file}={part.file}" for file, part in sorted(parts.items())),
            "label": LABEL,
            "filesystem": str(FILESYSTEM_ID),
        },
        needs=(*needs.values(), tools),
        disk_bytes=DISK_BYTES,
        programs={"chroot": "coreutils", "tar": "tar"},
    )


def _facts(workshop: Workshop, part: Part) -> FileFacts:
    """Return what the store knows of a file already: reading gigabytes again takes long."""
    found = workshop.store.find(part.recipe)
    if found is None:
        raise ValueError(f"{part.recipe.name} was not built before the media")
    return found.files[part.file]


def _write(workshop: Workshop, disk: DiskTools) -> Path:
    image = disk.home / "disk" / MEDIA
    size = _size(disk.root)
    with image.open("wb") as file:
        file.truncate(size)
    workshop.say(f"writing {size >> 20} MiB")
    options = (
        f"hash_seed={FILESYSTEM_ID}",
        "root_owner=0:0",
        "nodiscard",
        "assume_storage_prezeroed=1",
    )
    workshop.run(
        "chroot", disk.home,
        "mke2fs", "-q", "-t", "ext4", "-b", str(BLOCK), "-m", "0", "-N", str(INODES),
        "-O", "^has_journal,^resize_inode", "-L", LABEL, "-U", str(FILESYSTEM_ID),
        "-E", ",".join(options), "-d", "/disk/root", f"/disk/{MEDIA}", f"{size // 1024}k",
        env=TIMES,
    )  # fmt: skip
    return image


def _size(folder: Path) -> int:
    """Return how large a file system must be that holds a folder's files, holes left out."""
    used = sum(path.stat().st_blocks * 512 + BLOCK for path in folder.iterdir())
    size = int(used * (1 + METADATA_SHARE)) + SPARE
    return -(-size // MIB) * MIB
