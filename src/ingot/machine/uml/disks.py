"""The disks of a machine: files with holes, which cost only what was written to them."""

from __future__ import annotations

from pathlib import Path

from ingot.machine.driver import MachineError
from ingot.machine.model import Disk
from ingot.process import run

__all__ = ["DiskTooSmall", "make_disk"]


class DiskTooSmall(MachineError):  # noqa: N818 - it says what was seen
    """An image does not fit on the disk it is meant for."""

    def __init__(self, disk: Disk, image: Path, size: int) -> None:
        super().__init__(
            f"{image} has {size} bytes and the disk {disk.serial} only {disk.size_bytes}",
            remedy="give the machine a larger disk",
        )


def make_disk(disk: Disk, path: Path) -> None:
    """Make a disk with its first content; what is at the path afterwards is complete.

    Raises:
        DiskTooSmall: its image is larger.
    """
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    if disk.image:
        size = disk.image.stat().st_size
        if size > disk.size_bytes:
            raise DiskTooSmall(disk, disk.image, size)
        # Shares the image's blocks where the file system can, and else at least keeps its holes.
        run(
            ["cp", "--sparse=always", "--reflink=auto", disk.image, fresh],
            remedy="see that there is room for it (`df`)",
        )
    with fresh.open("ab") as file:
        file.truncate(disk.size_bytes)
    fresh.chmod(0o600)
    fresh.replace(path)
