"""A machine's processes are stopped for most of the time, and never for good."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.background import Background
from ingot.lab.faults.processor import UNLIMITED, Allowance, Processors
from ingot.lab.faults.running import RunningMachine
from tests.e2e.site import eventually

SPINNING = [
    sys.executable,
    "-c",
    "import os\nos.fork()\nwhile True: pass",  # As a machine has it: a leader, and others.
]
STARVED = Allowance(share=0.1)
STOPPED = {"T"}


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Background]:
    started = Background(tmp_path / "process.json")
    started.start(SPINNING, output=subprocess.DEVNULL)
    eventually(lambda: len(members(started)) == 2, within=20, every=0.01)
    yield started
    started.stop(grace=0)


@pytest.fixture
def processors() -> Iterator[Processors]:
    made = Processors()
    made.start([])
    yield made
    made.stop()


def members(process: Background) -> list[int]:
    """Return the processes of the machine's group."""
    leader = process.pid()
    return [
        int(path.name)
        for path in Path("/proc").glob("[0-9]*")
        if (words := stat(int(path.name))) and int(words[2]) == leader
    ]


def stat(pid: int) -> list[str]:
    try:
        text = Path("/proc", str(pid), "stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


def states(process: Background) -> set[str]:
    return {stat(pid)[0] for pid in members(process)}


def cpu_seconds(process: Background) -> float:
    pid = process.pid()
    assert pid is not None
    words = stat(pid)
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def is_stopped(process: Background) -> bool:
    return states(process) == STOPPED


def runs_on(process: Background) -> None:
    """Check that it is not stopped, and gets on."""
    assert not states(process) & STOPPED
    before = cpu_seconds(process)
    eventually(lambda: cpu_seconds(process) > before + 0.2, within=20, every=0.05)
    assert not states(process) & STOPPED


def test_cpu_starved_stops_the_whole_group_again_and_again_until_it_is_cleared(
    process: Background, processors: Processors
) -> None:
    processors.allow("a", process, STARVED)
    for _ in range(3):
        eventually(lambda: is_stopped(process), within=20, every=0.002)
        eventually(lambda: not is_stopped(process), within=20, every=0.002)
    processors.allow("a", process, UNLIMITED)
    runs_on(process)


def test_cpu_starved_leaves_no_more_than_the_share(
    process: Background, processors: Processors
) -> None:
    processors.allow("a", process, STARVED)
    eventually(lambda: is_stopped(process), within=20, every=0.002)
    used, begun = cpu_seconds(process), time.monotonic()
    eventually(lambda: time.monotonic() > begun + 2, within=20)
    # However busy this PC is, nobody gets more than what is left to it.
    assert (cpu_seconds(process) - used) / (time.monotonic() - begun) < 0.4
    assert cpu_seconds(process) > used


def test_boot_slow_ends_with_the_boot(process: Background, processors: Processors) -> None:
    processors.allow("a", process, Allowance(boot_share=0.1, boot_seconds=2), restarted=True)
    eventually(lambda: is_stopped(process), within=20, every=0.002)
    running = RunningMachine.found(process)
    assert running is not None
    eventually(lambda: running.age() > 2.5, within=20)
    running.close()
    runs_on(process)


def test_a_machine_that_has_been_on_for_long_does_not_boot_slowly(
    process: Background, processors: Processors
) -> None:
    running = RunningMachine.found(process)
    assert running is not None
    eventually(lambda: running.age() > 0.1, within=20)
    running.close()
    processors.allow("a", process, Allowance(boot_share=0.1, boot_seconds=0.05))
    runs_on(process)


def test_a_machine_is_found_when_it_is_powered_on_and_when_it_is_another_process(
    tmp_path: Path, processors: Processors
) -> None:
    process = Background(tmp_path / "process.json")
    processors.allow("a", process, STARVED)
    try:
        for _ in range(2):
            process.start(SPINNING, output=subprocess.DEVNULL)
            eventually(lambda: is_stopped(process), within=20, every=0.002)
            process.stop(grace=0)
    finally:
        process.stop(grace=0)


def test_several_machines_have_each_their_share(
    process: Background, processors: Processors, tmp_path: Path
) -> None:
    other = Background(tmp_path / "other.json")
    other.start(SPINNING, output=subprocess.DEVNULL)
    try:
        processors.allow("a", process, STARVED)
        processors.allow("b", other, Allowance(share=0.5))
        eventually(lambda: is_stopped(process), within=20, every=0.002)
        eventually(lambda: is_stopped(other), within=20, every=0.002)
        processors.allow("a", process, UNLIMITED)
        runs_on(process)
        eventually(lambda: is_stopped(other), within=20, every=0.002)
    finally:
        other.stop(grace=0)


def test_everything_runs_when_the_daemon_ends(process: Background) -> None:
    processors = Processors()
    processors.start([process])
    processors.allow("a", process, Allowance(share=0.01))
    eventually(lambda: is_stopped(process), within=20, every=0.002)
    processors.stop()
    runs_on(process)


def test_everything_runs_when_the_daemon_ends_without_saying_so(process: Background) -> None:
    daemon = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from ingot.background import Background\n"
        "from ingot.lab.faults.processor import Allowance, Processors\n"
        "process = Background(Path(sys.argv[1]))\n"
        "processors = Processors()\n"
        "processors.start([process])\n"
        "processors.allow('a', process, Allowance(share=0.01))\n"
        "time.sleep(1)\n"
        "raise SystemExit('an accident')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", daemon, process.record], stderr=subprocess.DEVNULL
    ) as dying:
        eventually(lambda: is_stopped(process), within=20, every=0.002)
        assert dying.wait(20) == 1
    runs_on(process)


def test_what_a_killed_daemon_left_stopped_runs_when_the_next_one_starts(
    process: Background,
) -> None:
    running = RunningMachine.found(process)
    assert running is not None
    running.tell(signal.SIGSTOP)
    running.close()
    eventually(lambda: is_stopped(process), within=20, every=0.01)
    processors = Processors()
    processors.start([process])
    processors.stop()
    runs_on(process)


def test_a_process_that_is_not_the_machines_any_more_is_never_touched(
    process: Background, processors: Processors, tmp_path: Path
) -> None:
    # A record of a machine whose number has since been given to another process.
    record = process.record.read_text(encoding="utf-8")
    old = Background(tmp_path / "old.json")
    old.record.write_text(record.replace('"started": ', '"started": 1'), encoding="utf-8")
    assert RunningMachine.found(old) is None
    processors.allow("a", old, Allowance(share=0.01))
    runs_on(process)


def test_the_thread_sleeps_while_nothing_is_limited(
    process: Background, processors: Processors
) -> None:
    processors.allow("a", process, STARVED)
    processors.allow("a", process, UNLIMITED)
    (thread,) = (one for one in threading.enumerate() if one.name == "processors")
    runs_on(process)  # By the time it has, the thread has taken note.
    before = switches(thread)
    runs_on(process)
    assert switches(thread) == before


def switches(thread: threading.Thread) -> int:
    """Return how often a thread has waited for something."""
    status = Path(f"/proc/self/task/{thread.native_id}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("voluntary"))
    return int(line.split()[1])
