"""The agent ramdisk: kernel and initrd for servers, initrd for machines of the lab.

One root serves both. The kernel unpacks several archives one after the other, so the initrd for
servers is the lab's with one more archive behind it, of kernel modules and firmware.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.root import ROOT_FILE
from ingot.debian.tree import unpack
from ingot.osimage.agentroot import agent_root
from ingot.osimage.cpio import ALIGNMENT, write_cpio
from ingot.osimage.drivers import KERNEL, TREE, metal_drivers

__all__ = ["INITRD", "KERNEL", "LAB_INITRD", "ramdisk"]

INITRD = "initrd.zst"
LAB_INITRD = "initrd-lab.zst"

LEVEL = 9
"""66 MB in 7 CPU seconds; level 15 saves one of them and takes a minute."""
DRIVERS_LEVEL = 3
"""Modules are compressed already."""

DISK_BYTES = 2_000_000_000


def ramdisk() -> Recipe:
    """Return the recipe of `vmlinuz` and `initrd.zst` for servers, `initrd-lab.zst` for the lab."""
    root, drivers = agent_root(), metal_drivers()

    def build(workshop: Workshop) -> None:
        common = workshop.out / LAB_INITRD
        _write(workshop, workshop.need(root) / ROOT_FILE, common, level=LEVEL)
        extra = workshop.scratch / "drivers.zst"
        _write(workshop, workshop.need(drivers) / TREE, extra, level=DRIVERS_LEVEL)
        with (workshop.out / INITRD).open("wb") as file:
            for part in (common, extra):
                with part.open("rb") as source:
                    shutil.copyfileobj(source, file)
        shutil.copyfile(workshop.need(drivers) / KERNEL, workshop.out / KERNEL)

    return Recipe(
        "agent-ramdisk",
        build,
        inputs={"level": f"{LEVEL} {DRIVERS_LEVEL}"},
        needs=(root, drivers),
        disk_bytes=DISK_BYTES,
        programs={"zstd": "zstd", "tar": "tar"},
    )


def _write(workshop: Workshop, tar: Path, initrd: Path, *, level: int) -> None:
    """Write a tar's content as an archive that the kernel unpacks."""
    folder = workshop.scratch / "folder"
    archive = workshop.scratch / "archive.cpio"
    unpack(workshop, tar, folder)
    write_cpio(folder, archive)
    # Any number of threads gives the same result, but not the same as no threads at all.
    workshop.run("zstd", f"-{level}", "-T0", "--quiet", archive, "-o", initrd)
    archive.unlink()
    shutil.rmtree(folder)
    with initrd.open("ab") as file:  # where the next archive starts
        file.write(b"\0" * (-file.tell() % ALIGNMENT))
