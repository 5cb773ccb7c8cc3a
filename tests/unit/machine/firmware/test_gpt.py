"""The EFI system partition is found in a partition table."""

from __future__ import annotations

import struct
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingot.machine.firmware.gpt import esp_offset
from ingot.machine.firmware.target import NotBootable

ESP = UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
OTHER = UUID("4f68bce3-e8cd-4db1-96e7-fbcaf984b709")


def table(*partitions: tuple[UUID, int], entry_bytes: int = 128) -> bytes:
    header = b"EFI PART".ljust(72, b"\0") + struct.pack("<QII", 2, 128, entry_bytes)
    entries = b"".join(
        (kind.bytes_le + bytes(16) + struct.pack("<QQ", start, start + 9)).ljust(entry_bytes, b"\0")
        for kind, start in partitions
    )
    return bytes(512) + header.ljust(512, b"\0") + entries.ljust(128 * entry_bytes, b"\0")


@pytest.mark.parametrize("entry_bytes", [128, 256])
def test_esp_is_found_among_others(tmp_path: Path, entry_bytes: int) -> None:
    disk = tmp_path / "disk0.img"
    disk.write_bytes(table((OTHER, 34), (ESP, 2048), entry_bytes=entry_bytes))
    assert esp_offset(disk) == 2048 * 512


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (table((OTHER, 34)), "disk0.img has no EFI system partition"),
        (table((ESP, 34), entry_bytes=16), "disk0.img has a broken partition table"),
        (bytes(2048), "disk0.img is empty"),
        (b"", "disk0.img is empty"),
        (b"x" * 2048, "disk0.img has no partition table"),
        (bytes(510) + b"\x55\xaa" + bytes(512), "disk0.img has no GUID partition table"),
    ],
)
def test_disk_without_an_esp_says_what_it_has(tmp_path: Path, content: bytes, said: str) -> None:
    disk = tmp_path / "disk0.img"
    disk.write_bytes(content)
    with pytest.raises(NotBootable, match=said):
        esp_offset(disk)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_table_gives_an_offset_or_is_refused(tmp_path: Path, noise: bytes) -> None:
    disk = tmp_path / "disk0.img"
    disk.write_bytes(bytes(512) + b"EFI PART" + noise)
    try:
        assert esp_offset(disk) >= 0
    except NotBootable:
        return
