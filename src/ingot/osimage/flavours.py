"""The node image in two flavours, from one root and with the same partitions.

*metal* has Debian's kernel and a boot loader, for UEFI machines. *lab* has neither: its kernel is
handed in by the lab's firmware, which reads the same boot loader entry for the arguments.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.root import debian_root
from ingot.debian.tree import unpack
from ingot.osimage.disk import ROOT_ARGUMENT, DiskTools, disk_tools
from ingot.osimage.node import node_root
from ingot.payload.source import Source

__all__ = ["LAB_ARGUMENTS", "lab_image", "metal_image"]

DISK_BYTES = 16_000_000_000

ENTRY = """\
title Ingot node
{boot}options {arguments}
"""
LOADER = """\
timeout 2
default ingot.conf
editor no
"""
METAL_BOOT = """\
linux /ingot/vmlinuz
initrd /ingot/initrd.img
"""
# The partitions that systemd would find by itself are not needed on a running node.
ARGUMENTS = f"{ROOT_ARGUMENT} rw systemd.gpt_auto=no"
# What is built into the lab kernel would otherwise make devices that nobody asked for.
LAB_ARGUMENTS = f"{ARGUMENTS} bonding.max_bonds=0 dummy.numdummies=0"
METAL_ARGUMENTS = f"{ARGUMENTS} console=tty0 console=ttyS0,115200"

KERNEL_PACKAGES = (
    "firmware-linux-free",
    "initramfs-tools",
    "linux-image-amd64",
    "systemd-boot-efi",
    "zstd",
)


def lab_image(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of the lab flavour: `disk.img`."""
    node, tools = node_root(source), disk_tools()

    def build(workshop: Workshop) -> None:
        disk = DiskTools.unpacked(workshop, tools)
        unpack(workshop, workshop.need(node) / "root.tar", disk.root)
        _write_entry(disk.esp, ENTRY.format(boot="", arguments=LAB_ARGUMENTS))
        disk.write_raw().rename(workshop.out / "disk.img")

    return Recipe(
        "lab-image",
        build,
        inputs={"loader": LOADER, "arguments": LAB_ARGUMENTS},
        needs=(node, tools),
        disk_bytes=DISK_BYTES,
    )


def metal_image(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of the metal flavour: `disk.raw` and `disk.qcow2`."""
    node, tools, kernel = node_root(source), disk_tools(), metal_kernel()

    def build(workshop: Workshop) -> None:
        disk = DiskTools.unpacked(workshop, tools)
        unpack(workshop, workshop.need(node) / "root.tar", disk.root)
        _write_entry(disk.esp, ENTRY.format(boot=METAL_BOOT, arguments=METAL_ARGUMENTS))
        _add_kernel(workshop, workshop.need(kernel) / "root.tar", disk)
        raw = disk.write_raw()
        disk.write_qcow2().rename(workshop.out / "disk.qcow2")
        raw.rename(workshop.out / "disk.raw")

    return Recipe(
        "metal-image",
        build,
        inputs={"loader": LOADER, "arguments": METAL_ARGUMENTS},
        needs=(node, tools, kernel),
        disk_bytes=DISK_BYTES,
    )


def metal_kernel() -> Recipe:
    """Return the recipe of Debian's kernel with its modules, ramdisk and boot loader."""
    return debian_root("metal-kernel", KERNEL_PACKAGES, disk_bytes=2_000_000_000)


def _write_entry(esp: Path, entry: str) -> None:
    (esp / "loader/entries").mkdir(parents=True)
    (esp / "loader/loader.conf").write_text(LOADER, encoding="utf-8")
    (esp / "loader/entries/ingot.conf").write_text(entry, encoding="utf-8")


def _add_kernel(workshop: Workshop, tar: Path, disk: DiskTools) -> None:
    debian = workshop.scratch / "kernel"
    unpack(workshop, tar, debian)
    for folder in ("usr/lib/modules", "usr/lib/firmware"):
        shutil.copytree(debian / folder, disk.root / folder, symlinks=True, dirs_exist_ok=True)
    (disk.esp / "ingot").mkdir()
    (kernel,) = (debian / "boot").glob("vmlinuz-*")
    (ramdisk,) = (debian / "boot").glob("initrd.img-*")
    shutil.copyfile(kernel, disk.esp / "ingot/vmlinuz")
    shutil.copyfile(ramdisk, disk.esp / "ingot/initrd.img")
    (disk.esp / "EFI/BOOT").mkdir(parents=True)
    loader = debian / "usr/lib/systemd/boot/efi/systemd-bootx64.efi"
    shutil.copyfile(loader, disk.esp / "EFI/BOOT/BOOTX64.EFI")
