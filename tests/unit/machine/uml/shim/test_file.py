"""The file that the shim reads changes in place, and says which accesses fail."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.machine.uml.shim.file import ACCESSES, SETTINGS, SIZE, ShimFaults, write_faults

FAULTS = ShimFaults(
    delay_microseconds=20_000,
    errors_per_million=5,
    read_only=True,
    clock_offset_seconds=-28_800,
    seed=7,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "faults.bin"


def count(path: Path, accesses: int) -> None:
    """Have the shim count so many accesses."""
    with path.open("r+b") as file:
        file.seek(SETTINGS.size)
        file.write(ACCESSES.pack(accesses))


def counted(path: Path) -> int:
    (accesses,) = ACCESSES.unpack(path.read_bytes()[SETTINGS.size :])
    return int(accesses)


def test_the_file_has_what_the_shim_expects(path: Path) -> None:
    write_faults(path, FAULTS)
    assert SETTINGS.unpack_from(path.read_bytes()) == (
        b"INGOTF1\0", 20_000, 5, 1, 0, -28_800, 7,
    )  # fmt: skip
    assert path.stat().st_size == SIZE == 48
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208 - the names are enough


def test_a_change_is_made_in_place_because_a_machine_has_the_file_mapped(path: Path) -> None:
    write_faults(path, ShimFaults())
    before = path.stat().st_ino
    write_faults(path, FAULTS)
    assert path.stat().st_ino == before
    assert path.read_bytes().startswith(FAULTS.packed())


def test_accesses_are_counted_on_unless_others_are_to_fail(path: Path) -> None:
    write_faults(path, FAULTS)
    count(path, 9)
    write_faults(path, FAULTS)
    assert counted(path) == 9
    write_faults(path, replace(FAULTS, delay_microseconds=1, clock_offset_seconds=0))
    assert counted(path) == 9
    write_faults(path, replace(FAULTS, seed=8))
    assert counted(path) == 0
    count(path, 9)
    write_faults(path, ShimFaults(seed=8))
    assert counted(path) == 0


@pytest.mark.parametrize("content", [b"", b"INGOTF1\0", b"x" * SIZE])
def test_a_file_that_no_shim_would_read_is_replaced(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    write_faults(path, FAULTS)
    assert path.read_bytes().startswith(FAULTS.packed())


@pytest.mark.parametrize("seed", [-1, 1 << 70])
def test_any_seed_fits(path: Path, seed: int) -> None:
    write_faults(path, replace(FAULTS, seed=seed))
    count(path, 3)
    write_faults(path, replace(FAULTS, seed=seed))
    assert counted(path) == 3
