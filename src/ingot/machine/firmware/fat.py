"""Files of a FAT file system that lies somewhere in a disk, read by mtools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingot.machine.firmware.target import NotBootable
from ingot.process import CommandFailed, MissingProgram, run

__all__ = ["Fat"]

ENVIRONMENT = {"MTOOLS_SKIP_CHECK": "1", "MTOOLSRC": "/dev/null"}


@dataclass(frozen=True, slots=True)
class Fat:
    """Such a file system; paths are as a boot loader writes them."""

    disk: Path
    offset: int

    def names(self, folder: str) -> tuple[str, ...]:
        """Return the names in a folder; none where it does not exist."""
        try:
            listed = self._mtools("mdir", "-b", f"::{folder.rstrip('/')}/")
        except CommandFailed:
            return ()
        return tuple(sorted(line.rpartition("/")[2] for line in listed.split("\n") if line))

    def text(self, path: str) -> str | None:
        """Return a file's text; None where it does not exist."""
        try:
            return self._mtools("mtype", f"::{path}")
        except CommandFailed:
            return None

    def copy(self, path: str, target: Path) -> Path:
        """Copy a file out.

        Raises:
            NotBootable: it is not there.
        """
        try:
            self._mtools("mcopy", "-n", f"::{path}", str(target))
        except CommandFailed as failed:
            raise NotBootable(f"{self.disk.name}: cannot read {path}") from failed
        return target

    def _mtools(self, program: str, *words: str) -> str:
        try:
            return run([program, "-i", f"{self.disk}@@{self.offset}", *words], env=ENVIRONMENT)
        except FileNotFoundError as missing:
            raise MissingProgram(
                f"not installed: {program}", remedy="run `apt-get install mtools`"
            ) from missing
