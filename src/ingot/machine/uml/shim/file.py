"""The file that the shim reads, with the layout of `struct faults` in `faults.c`."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ShimFaults", "write_faults"]

MAGIC = b"INGOTF1\0"
SETTINGS = struct.Struct("=8sIIIIqQ")
ACCESSES = struct.Struct("=Q")
SIZE = SETTINGS.size + ACCESSES.size


@dataclass(frozen=True, slots=True, kw_only=True)
class ShimFaults:
    """What goes wrong with a machine's disks and clock; nothing, unless it is said.

    Attributes:
        delay_microseconds: how much longer each access to a disk takes.
        errors_per_million: how many of as many accesses fail.
        read_only: whether writes to a disk fail.
        clock_offset_seconds: how far ahead the clock is; negative is behind.
        seed: decides which accesses fail.
    """

    delay_microseconds: int = 0
    errors_per_million: int = 0
    read_only: bool = False
    clock_offset_seconds: int = 0
    seed: int = 0

    def packed(self) -> bytes:
        """Return the file's content, without the count of accesses at its end."""
        return SETTINGS.pack(
            MAGIC,
            self.delay_microseconds,
            self.errors_per_million,
            self.read_only,
            0,
            self.clock_offset_seconds,
            self.seed % (1 << 64),
        )


def write_faults(path: Path, faults: ShimFaults) -> None:
    """Make faults take effect, on a running machine at once.

    Accesses are counted on, unless others than before are to fail: then from the start, so that
    the same seed strikes the same ones.
    """
    settings = faults.packed()
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        content = b""
    if len(content) != SIZE or not content.startswith(MAGIC):
        # No machine has mapped such a file, so it may be another one from now on.
        fresh = path.with_suffix(".new")
        fresh.write_bytes(settings + ACCESSES.pack(0))
        fresh.replace(path)
        return
    _, _, errors, _, _, _, seed = SETTINGS.unpack_from(content)
    restarted = (errors, seed) != (faults.errors_per_million, faults.seed % (1 << 64))
    if content[: SETTINGS.size] != settings:
        with path.open("r+b", buffering=0) as file:  # In place: a running machine has it mapped.
            file.write(settings + (ACCESSES.pack(0) if restarted else b""))
