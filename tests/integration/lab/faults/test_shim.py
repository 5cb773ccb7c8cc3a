"""The shim in a program that is no kernel: what it strikes, and what it leaves alone."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.machine.uml.shim import LIBRARY, ShimFaults, fault_shim, write_faults

ACCESS = """
import json, os, sys, threading
file = os.open(sys.argv[1], os.O_RDWR)
done = []
def access():
    for number in range(int(sys.argv[2])):
        for call in (
            lambda: os.pread(file, 1, 0), lambda: os.pwrite(file, b"x", 0), lambda: os.fsync(file)
        ):
            try:
                call()
                done.append(0)
            except OSError as error:
                done.append(error.errno)
# The kernel's main thread only looks for disks; another one uses them.
thread = threading.Thread(target=access) if sys.argv[3] == "thread" else None
thread.start() if thread else access()
thread.join() if thread else None
print(json.dumps(done))
"""

Run = Callable[..., str]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("one"))


def built(folder: Path) -> Path:
    (made,) = make(Store(folder), [fault_shim()], Silent())
    return made.artefact.path / LIBRARY


@pytest.fixture
def faults(tmp_path: Path) -> Path:
    (tmp_path / "disk0.img").write_bytes(bytes(512))
    return tmp_path / "faults.bin"


def with_shim(library: Path, faults: Path | None, *command: str | Path) -> str:
    told = {"INGOT_FAULTS": str(faults)} if faults else {}
    env = {**os.environ, "LD_PRELOAD": str(library), **told}
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def accesses(
    library: Path, faults: Path, times: int, *, file: str = "disk0.img", where: str = "thread"
) -> list[int]:
    """Read, write and flush so many times; return how each went."""
    said = with_shim(
        library, faults, sys.executable, "-c", ACCESS, faults.parent / file, str(times), where
    )
    return [int(error) for error in json.loads(said)]


def test_the_shim_is_the_same_whenever_and_wherever_it_is_built(
    library: Path, tmp_path: Path
) -> None:
    assert built(tmp_path).read_bytes() == library.read_bytes()


def test_disk_errors_strike_the_same_accesses_for_the_same_seed_at_the_rate_asked_for(
    library: Path, faults: Path
) -> None:
    seen = {}
    for run, seed in (("one", 7), ("again", 7), ("other", 8)):
        write_faults(faults, ShimFaults())
        write_faults(faults, ShimFaults(errors_per_million=100_000, seed=seed))
        seen[run] = accesses(library, faults, 1000)
    assert seen["one"] == seen["again"] != seen["other"]
    assert set(seen["one"]) == {0, errno.EIO}
    assert seen["one"].count(errno.EIO) / 3000 == pytest.approx(0.1, abs=0.03)


def test_disk_read_only_refuses_writes_alone(library: Path, faults: Path) -> None:
    write_faults(faults, ShimFaults(read_only=True))
    assert accesses(library, faults, 2) == [0, errno.EROFS, 0] * 2


def test_disk_slow_delays_each_access(library: Path, faults: Path) -> None:
    write_faults(faults, ShimFaults(delay_microseconds=50_000))
    begun = time.monotonic()
    assert accesses(library, faults, 4) == [0] * 12
    assert time.monotonic() - begun >= 12 * 0.05


def test_only_disks_beside_the_file_are_struck_and_only_by_the_thread_that_uses_them(
    library: Path, faults: Path
) -> None:
    write_faults(faults, ShimFaults(errors_per_million=1_000_000))
    (faults.parent / "console.log").write_bytes(b"x")
    (faults.parent / "other").mkdir()
    (faults.parent / "other/disk0.img").write_bytes(b"x")
    assert accesses(library, faults, 1) == [errno.EIO] * 3
    assert accesses(library, faults, 1, where="main") == [0] * 3
    for file in ("console.log", "other/disk0.img"):
        assert accesses(library, faults, 1, file=file) == [0] * 3


def test_disks_are_recognised_through_a_symbolic_link(
    library: Path, faults: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write_faults(faults, ShimFaults(errors_per_million=1_000_000))
    link = tmp_path_factory.mktemp("link") / "home"
    link.symlink_to(faults.parent)
    assert accesses(library, link / faults.name, 1) == [errno.EIO] * 3


def test_clock_wrong_moves_the_time_of_day_and_no_other_clock(library: Path, faults: Path) -> None:
    write_faults(faults, ShimFaults(clock_offset_seconds=-28_800))
    code = "import time; print(time.clock_gettime(time.CLOCK_{}))"

    def clock(name: str) -> float:
        return float(with_shim(library, faults, sys.executable, "-c", code.format(name)))

    assert clock("REALTIME") - time.time() == pytest.approx(-28_800, abs=600)
    assert clock("MONOTONIC") - time.monotonic() == pytest.approx(0, abs=600)


@pytest.mark.parametrize("content", [None, b"", b"INGOTF1\0", b"x" * 48])
def test_without_a_file_of_faults_nothing_is_struck(
    library: Path, faults: Path, content: bytes | None
) -> None:
    if content is not None:
        faults.write_bytes(content)
    assert accesses(library, faults, 1) == [0] * 3


def test_without_the_variable_nothing_is_struck(library: Path, faults: Path) -> None:
    write_faults(faults, ShimFaults(clock_offset_seconds=-28_800))
    said = with_shim(library, None, "date", "+%s")
    assert int(said) - time.time() == pytest.approx(0, abs=600)
