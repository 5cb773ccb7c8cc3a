"""The storage pool that holds the files of an owner's machines.

Going through libvirt's pools instead of plain files is what makes a libvirt on another machine
look the same as one on this: images are sent to it, and the console is fetched from it. libvirt
refuses to look through a pool while something is sent to it, so one of us works on it at a time.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.sax.saxutils import escape

from ingot.machine.driver import MachineError
from ingot.machine.libvirt.lock import held
from ingot.machine.libvirt.refusal import LibvirtRefused
from ingot.machine.libvirt.virsh import TRANSFER_SECONDS, Virsh

__all__ = ["ImageMissing", "Pool"]


class ImageMissing(MachineError):  # noqa: N818 - it says what was seen
    """A file that a machine is to have cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """One such pool.

    Attributes:
        name: what libvirt calls it.
        path: its folder where libvirt runs.
        lock: a file of ours that is held while working on it.
    """

    virsh: Virsh
    name: str
    path: PurePosixPath
    lock: Path

    def held(self) -> AbstractContextManager[None]:
        """Keep everybody else of us out."""
        return held(self.lock)

    def prepare(self) -> None:
        """Make the pool, or start it.

        Raises:
            MachineError: there is one of that name somewhere else.
        """
        if not self._is_defined():
            pool = (
                f"<pool type='dir'><name>{escape(self.name)}</name>"
                f"<target><path>{escape(str(self.path))}</path></target></pool>"
            )
            self.virsh("pool-define", "/dev/stdin", stdin=pool)
            try:
                self.virsh("pool-build", self.name)
            except LibvirtRefused:
                self.virsh("pool-undefine", self.name)
                raise
            self.virsh("pool-autostart", self.name)
        described = self.virsh.xml("pool-dumpxml", self.name)
        if (there := described.findtext("target/path")) != str(self.path):
            raise MachineError(
                f"the storage pool {self.name} of {self.virsh.uri} is in {there}, not {self.path}",
                remedy=f"remove it with `virsh pool-undefine {self.name}`, or use another owner",
            )
        self._start()

    def _start(self) -> None:
        if self.name not in self.virsh("pool-list", "--name").split():
            self.virsh("pool-start", self.name)

    def add(self, volume: str, size_bytes: int | None, image: Path | None = None) -> None:
        """Make a volume, which takes the space of what is in it.

        Args:
            volume: its name.
            size_bytes: how much it holds; as much as the image without.
            image: what it starts out with.

        Raises:
            ImageMissing: the image cannot be read, or is larger than the volume.
        """
        filled = _size_of(image) if image else 0
        size = filled if size_bytes is None else size_bytes
        if filled > size:
            raise ImageMissing(
                f"{image} has {filled} bytes and does not fit into {size}",
                remedy="make the disk larger",
            )
        sparse = ("--allocation", "0", "--format", "raw")
        self.virsh("vol-create-as", self.name, volume, f"{filled or size}B", *sparse)
        if filled:
            words = ("vol-upload", volume, str(image), "--pool", self.name, "--sparse")
            self.virsh(*words, seconds=TRANSFER_SECONDS)
        if filled and size > filled:
            # Only now: what is sent with holes ends where it ends, however large the volume was.
            self.virsh("vol-resize", volume, f"{size}B", "--pool", self.name)

    def fetch(self, volume: str, target: Path) -> None:
        """Copy a volume here; nothing where there is none."""
        self.virsh("pool-refresh", self.name)
        if volume in self._volumes():
            words = ("vol-download", volume, target, "--pool", self.name)
            self.virsh(*words, seconds=TRANSFER_SECONDS)

    def remove(self, prefix: str, *, but: str | None = None) -> None:
        """Remove every volume whose name begins so, except one."""
        if not self._is_defined():
            return
        self._start()
        self.virsh("pool-refresh", self.name)
        for volume in self._volumes():
            if volume.startswith(prefix) and volume != but:
                self.virsh("vol-delete", volume, "--pool", self.name)

    def remove_if_empty(self) -> None:
        """Remove the pool with its folder, if nothing is in it."""
        if not self._is_defined() or self._volumes():
            return
        self.virsh("pool-destroy", self.name)
        with suppress(LibvirtRefused):
            self.virsh("pool-delete", self.name)  # Refused where others' folders are in it.
        self.virsh("pool-undefine", self.name)

    def _is_defined(self) -> bool:
        return self.name in self.virsh("pool-list", "--all", "--name").split()

    def _volumes(self) -> list[str]:
        # A line is a name and a path, and no name of ours has a space in it.
        lines = self.virsh("vol-list", self.name).splitlines()
        return [line.split()[0] for line in lines if line.strip()]


def _size_of(image: Path) -> int:
    try:
        with image.open("rb"):
            return image.stat().st_size
    except OSError as unreadable:
        raise ImageMissing(
            f"{image} cannot be read: {unreadable.strerror}", remedy="check the file and its path"
        ) from unreadable
