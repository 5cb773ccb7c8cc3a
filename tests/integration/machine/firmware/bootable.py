"""Disks and discs that boot, or nearly."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.site import call

MIB = 1 << 20
Files = dict[str, str | Path]
"""Texts, and other files, by their paths."""
ESP_KIND = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
DATA_KIND = "0FC63DAF-8483-4772-8E79-3D69D8477DE4"


def partition(disk: Path, kind: str = ESP_KIND) -> None:
    """Give a disk a partition table with one partition, from its first MiB on."""
    table = disk.with_suffix(".table")
    table.write_text(f"label: gpt\nstart=1MiB, size=60MiB, type={kind}\n", encoding="utf-8")
    call("sh", "-c", f"sfdisk --quiet {disk} < {table}")
    table.unlink()


def write_esp(disk: Path, files: Mapping[str, str | Path]) -> None:
    """Give a disk an EFI system partition with files."""
    partition(disk)
    image = disk.with_suffix(".esp")
    image.touch()
    os.truncate(image, 60 * MIB)
    call("mkfs.vfat", "-F", "32", image)
    _fill(image, files)
    call("dd", f"if={image}", f"of={disk}", "bs=1M", "seek=1", "conv=notrunc,sparse")
    image.unlink()


def _fill(image: Path, files: Mapping[str, str | Path]) -> None:
    folders = {parent for name in files for parent in Path(name).parents if parent.name}
    for folder in sorted(folders):
        call("mmd", "-i", image, f"::/{folder}")
    for name, content in files.items():
        source = content if isinstance(content, Path) else image.with_suffix(".text")
        if isinstance(content, str):
            source.write_text(content, encoding="utf-8")
        call("mcopy", "-i", image, source, f"::/{name}")
    image.with_suffix(".text").unlink(missing_ok=True)


def disc(folder: Path, files: Mapping[str, str | Path], name: str = "disc.iso") -> Path:
    """Return an ISO with files, named as Ironic names them: Rock Ridge and Joliet."""
    tree = folder / f"{name}.tree"
    for path, content in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            (tree / path).symlink_to(content)
        else:
            (tree / path).write_text(content, encoding="utf-8")
    tree.mkdir(exist_ok=True)
    iso = folder / name
    call("xorriso", "-as", "mkisofs", "-quiet", "-f", "-r", "-J", "-l", "-o", iso, tree)
    return iso
