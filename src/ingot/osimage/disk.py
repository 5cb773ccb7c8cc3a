"""A disk image from two folders: what the firmware reads, and the root.

Everything is written straight into one sparse file: no loop device, no mount, nothing to clean up
after a crash. The programs come from a Debian root of their own, so that the result does not depend
on the versions of the machine that builds it. Identifiers and times are fixed, so equal folders
give equal disks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.debian.root import debian_root
from ingot.debian.tree import EPOCH, unpack

__all__ = ["ROOT_ARGUMENT", "DiskTools", "disk_tools"]

MIB: Final = 1 << 20

DISK_ID = UUID("1f0a6b1e-6f2d-4a0e-9d35-1b6c8e2f4a01")
ESP_ID = UUID("1f0a6b1e-6f2d-4a0e-9d35-1b6c8e2f4a02")
ROOT_ID = UUID("1f0a6b1e-6f2d-4a0e-9d35-1b6c8e2f4a03")
ROOT_FILESYSTEM_ID = UUID("1f0a6b1e-6f2d-4a0e-9d35-1b6c8e2f4a04")
ESP_VOLUME_ID = "1F0A6B1E"

ROOT_ARGUMENT = f"root=PARTUUID={ROOT_ID}"
"""How a kernel finds the root, with or without a ramdisk."""

# The types of the Discoverable Partitions Specification, by which the root is found and grown.
ESP_TYPE = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
ROOT_TYPE = "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709"

ESP_START = 1 * MIB
ESP_SIZE = 256 * MIB
ROOT_START = ESP_START + ESP_SIZE
GPT_COPY = 1 * MIB

SPARE = 256 * MIB
"""Room in the root before it has grown to its disk."""
SECTOR = 512
BLOCK = 4096
METADATA_SHARE = 0.06
"""Of a file system: inode tables, bitmaps, journal; measured on roots of 1 to 4 GB."""

TIMES = {"SOURCE_DATE_EPOCH": str(EPOCH), "TZ": "UTC"}


def disk_tools() -> Recipe:
    """Return the recipe of the programs that write disks."""
    packages = ("dosfstools", "e2fsprogs", "fdisk", "mtools", "qemu-utils", "zstd")
    return debian_root("disk-tools", packages, disk_bytes=1_500_000_000)


@dataclass(frozen=True, slots=True)
class DiskTools:
    """The programs, unpacked; what they work on lies in their root."""

    workshop: Workshop
    home: Path

    @classmethod
    def unpacked(cls, workshop: Workshop, tools: Recipe) -> DiskTools:
        """Make the programs ready in a workshop."""
        home = workshop.scratch / "tools"
        unpack(workshop, workshop.need(tools) / "root.tar", home)
        (home / "disk").mkdir()
        for folder in ("disk/esp", "disk/root"):
            (home / folder).mkdir()
        return cls(workshop, home)

    @property
    def esp(self) -> Path:
        """To be filled with what the firmware reads."""
        return self.home / "disk/esp"

    @property
    def root(self) -> Path:
        """To be filled with the root."""
        return self.home / "disk/root"

    def write_raw(self) -> Path:
        """Write both folders as a raw disk."""
        image = self.home / "disk/disk.img"
        root_size = _filesystem_size(self.root)
        with image.open("wb") as file:
            file.truncate(ROOT_START + root_size + GPT_COPY)
        self._run("sfdisk", "--quiet", "/disk/disk.img", stdin=_partition_table(root_size))
        self._write_esp()
        self._write_root(root_size)
        return image

    def _write_esp(self) -> None:
        self._run(
            "mkfs.vfat", "-F", "32", "-S", "512", "-s", "1", "-n", "ESP", "-i", ESP_VOLUME_ID,
            "--invariant", "--offset", str(ESP_START // SECTOR),
            "/disk/disk.img", str(ESP_SIZE // 1024),
        )  # fmt: skip
        drive = f"/disk/disk.img@@{ESP_START}"
        for path in sorted(self.esp.rglob("*")):
            name = path.relative_to(self.esp)
            os.utime(path, (EPOCH, EPOCH))
            if path.is_dir():
                self._run("mmd", "-i", drive, f"::/{name}")
            else:
                self._run("mcopy", "-m", "-i", drive, f"/disk/esp/{name}", f"::/{name}")

    def _write_root(self, size: int) -> None:
        options = (
            f"offset={ROOT_START}",
            f"hash_seed={ROOT_FILESYSTEM_ID}",
            "root_owner=0:0",
            "nodiscard",
            # The file is new, so its holes are zeros: the kernel need not write them again.
            "assume_storage_prezeroed=1",
        )
        self._run(
            "mke2fs", "-q", "-t", "ext4", "-b", str(BLOCK), "-m", "1", "-L", "ingot-root",
            "-U", str(ROOT_FILESYSTEM_ID), "-E", ",".join(options), "-d", "/disk/root",
            "/disk/disk.img", f"{size // 1024}k",
        )  # fmt: skip

    def write_qcow2(self) -> Path:
        """Write the raw disk once more, as compressed qcow2."""
        self._run(
            "qemu-img", "convert", "-f", "raw", "-O", "qcow2", "-c",
            "-o", "compression_type=zstd", "/disk/disk.img", "/disk/disk.qcow2",
        )  # fmt: skip
        return self.home / "disk/disk.qcow2"

    def _run(self, *command: str, stdin: str = "") -> None:
        self.workshop.run("chroot", self.home, *command, env=TIMES, stdin=stdin)


PARTITION_TABLE = """\
label: gpt
label-id: {disk}
unit: sectors
start={esp_start}, size={esp_size}, type={esp_type}, uuid={esp}, name=esp
start={root_start}, size={root_size}, type={root_type}, uuid={root}, name=root
"""


def _partition_table(root_size: int) -> str:
    return PARTITION_TABLE.format(
        disk=DISK_ID,
        esp=ESP_ID,
        esp_type=ESP_TYPE,
        esp_start=ESP_START // SECTOR,
        esp_size=ESP_SIZE // SECTOR,
        root=ROOT_ID,
        root_type=ROOT_TYPE,
        root_start=ROOT_START // SECTOR,
        root_size=root_size // SECTOR,
    )


def _filesystem_size(tree: Path) -> int:
    """Return how large a file system must be that holds a tree, in whole MiB."""
    content = sum(_blocks(size) * BLOCK for size in _sizes(tree))
    size = int((content + SPARE) * (1 + METADATA_SHARE))
    return -(-size // MIB) * MIB


def _sizes(tree: Path) -> Iterator[int]:
    seen: set[int] = set()  # of files with several names, which count once
    for folder, _, names in os.walk(tree):
        yield BLOCK
        for name in names:
            facts = Path(folder, name).lstat()
            if facts.st_nlink > 1 and facts.st_ino in seen:
                continue
            seen.add(facts.st_ino)
            yield facts.st_size


def _blocks(size: int) -> int:
    return -(-size // BLOCK)
