"""What is in a machine's virtual drive: a volume that holds a copy of the image.

The name of the volume follows from the file, so that the same image is sent once, and another file
in the same place is noticed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ingot.machine.libvirt.domain import volume_of
from ingot.machine.libvirt.pool import ImageMissing, Pool
from ingot.machine.libvirt.record import Record

__all__ = ["Media"]


@dataclass(frozen=True, slots=True)
class Media:
    """The media of all machines."""

    pool: Pool

    def insert(self, record: Record, image: Path | None) -> str | None:
        """Send an image, unless it is there, and return its volume.

        Raises:
            ImageMissing: it cannot be read, and is not what is in the drive already.
        """
        if image is None:
            return None
        try:
            facts = image.stat()
        except OSError as missing:
            if image == record.boot.media:
                return record.medium
            raise ImageMissing(
                f"{image} cannot be read: {missing.strerror}", remedy="check the image's path"
            ) from missing
        told = f"{image}\0{facts.st_size}\0{facts.st_mtime_ns}"
        digest = hashlib.sha256(told.encode()).hexdigest()[:16]
        volume = volume_of(record.spec.name, f"medium-{digest}")
        if volume != record.medium:
            with self.pool.held():
                self.pool.remove(volume)  # Left by one who was interrupted.
                self.pool.add(volume, facts.st_size, image)
        return volume

    def forget_all_but(self, record: Record) -> None:
        """Remove what is in no drive any more."""
        with self.pool.held():
            self.pool.remove(volume_of(record.spec.name, "medium-"), but=record.medium)
