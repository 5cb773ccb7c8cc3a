"""The partition that firmware boots from, found in a disk's GUID partition table."""

from __future__ import annotations

import struct
from pathlib import Path
from uuid import UUID

from ingot.machine.firmware.target import NotBootable

__all__ = ["esp_offset"]

SECTOR_BYTES = 512
SIGNATURE = b"EFI PART"
ESP = UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b").bytes_le
MOST_ENTRIES = 1024
MBR_SIGNATURE = b"\x55\xaa"
_HEADER = struct.Struct("<72xQII")
"""Where the entries are, how many, how long each."""
_ENTRY = struct.Struct("<16s16sQQ")


def esp_offset(disk: Path) -> int:
    """Return where a disk's EFI system partition begins, in bytes.

    Raises:
        NotBootable: saying what the disk has instead.
    """
    try:
        with disk.open("rb") as file:
            first, header = file.read(SECTOR_BYTES), file.read(SECTOR_BYTES)
            if not header.startswith(SIGNATURE):
                raise NotBootable(f"{disk.name} {_instead(first)}")
            start, count, length = _HEADER.unpack(header[: _HEADER.size])
            if not _ENTRY.size <= length <= SECTOR_BYTES:
                raise NotBootable(f"{disk.name} has a broken partition table")
            file.seek(start * SECTOR_BYTES)
            table = file.read(min(count, MOST_ENTRIES) * length)
    except FileNotFoundError as missing:
        raise NotBootable(f"there is no {disk.name}") from missing
    except (struct.error, OSError, OverflowError) as broken:
        raise NotBootable(f"{disk.name} has a broken partition table") from broken
    for at in range(0, len(table) - _ENTRY.size + 1, length):
        kind, _, begin, _ = _ENTRY.unpack_from(table, at)
        if kind == ESP:
            return int(begin) * SECTOR_BYTES
    raise NotBootable(f"{disk.name} has no EFI system partition")


def _instead(first: bytes) -> str:
    if not first.strip(b"\0"):
        return "is empty"
    if first.endswith(MBR_SIGNATURE):
        return "has no GUID partition table, only a boot sector"
    return "has no partition table"
