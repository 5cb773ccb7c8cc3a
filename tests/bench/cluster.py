"""How long a cluster takes to make, by phase, and what its lab costs this machine."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from tests.e2e.creating import create_cluster
from tests.e2e.handingover import began, failed_seconds
from tests.e2e.lab import created_lab

__all__ = ["report"]

LOOK_SECONDS = 2.0
REST_SECONDS = 60.0
AIM_SECONDS = 480
OPTIONS = ("--control-plane", "3", "--workers", "0", "--driver", "uml", "--bmc", "redfish")


@dataclass
class Cost:
    """What the whole machine was busy with; it should have nothing else to do.

    Attributes:
        busy: processors in use, as a mean.
        memory_mib: at most, beyond what was in use before.
    """

    busy: float = 0.0
    memory_mib: float = 0.0

    def __str__(self) -> str:
        return f"{self.busy:.2f} processors, {self.memory_mib:.0f} MiB"


def report() -> None:
    """Make a cluster, print how long each phase took, and leave nothing."""
    if os.geteuid() != 0:
        print("A cluster: not measured, since networks need root")
        return
    print("A cluster of three hosts in a lab, with everything it is made of in the cache")
    with (
        tempfile.TemporaryDirectory() as folder,
        created_lab(Path(folder), *OPTIONS, name=f"bench{os.getpid()}") as lab,
    ):
        with measured() as making:
            created = create_cluster(lab)
        assert created.returncode == 0, created.said
        said = json.loads((lab.directory / ".ingot/report.json").read_text(encoding="utf-8"))
        journal = InstallJournal(lab.directory / ".ingot/journal")
        begin, end = began(journal, Phase.HAND_OVER), began(journal, Phase.CLEAN_UP)
        with measured() as rest:
            time.sleep(REST_SECONDS)
    for phase in said["phases"]:
        print(f"  {phase['name']:14} {phase['seconds']:6.0f} s")
    print(f"  {'all':14} {said['seconds']:6.0f} s (aim: {AIM_SECONDS})")
    failed = failed_seconds(created.answers, begin=begin, end=end)
    print(f"  API not ready while handed over: {failed:.1f} s (aim: 2)")
    print(f"  this machine, while it is made: {making}")
    print(f"  this machine, when it is there: {rest.busy:.2f} processors")


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure until the end of the block."""
    cost, done = Cost(), threading.Event()
    before, idle, begun = _used_mib(), _idle_seconds(), time.monotonic()

    def look() -> None:
        while not done.wait(LOOK_SECONDS):
            cost.memory_mib = max(cost.memory_mib, _used_mib() - before)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield cost
    finally:
        done.set()
        looking.join()
        passed = time.monotonic() - begun
        cost.busy = (os.cpu_count() or 1) - (_idle_seconds() - idle) / passed


def _used_mib() -> float:
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    told = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return (told["MemTotal"] - told["MemAvailable"]) / 1024


def _idle_seconds() -> float:
    words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
    return (int(words[4]) + int(words[5])) / os.sysconf("SC_CLK_TCK")
