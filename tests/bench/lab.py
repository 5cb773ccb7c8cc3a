"""What a lab costs: how long it takes to make and remove one, and what it takes while idle."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingot.errors import IngotError
from ingot.lab import lifecycle
from ingot.lab.labs import STATE_VARIABLE, Lab
from ingot.lab.lifecycle import Step
from ingot.lab.surroundings import taken_networks
from ingot.machine import namespaces
from tests.labplans import planned

HOSTS, IDLE_HOSTS = 5, 10
CREATE_LIMIT_SECONDS, MEMORY_LIMIT_MB, CPU_LIMIT_PERCENT = 10, 300, 3
IDLE_SECONDS = 30


def report() -> None:
    """Print the times of five hosts and the idle cost of ten."""
    if os.geteuid() != 0:
        print("A lab: not measured, since networks need root")
        return
    print("A lab, with everything it is made of in the cache")
    with _lab(HOSTS) as (lab, times):
        shown = ", ".join(f"{step} {seconds:.1f}" for step, seconds in times.items())
        total = sum(times.values())
        print(f"  create {HOSTS} hosts   {total:6.1f} s (aim: {CREATE_LIMIT_SECONDS}; {shown})")
        started = time.perf_counter()
        lifecycle.destroy(lab.name)
        print(f"  destroy          {time.perf_counter() - started:6.1f} s")
    with _lab(IDLE_HOSTS) as (lab, _):
        _report_idle(lab)


@contextmanager
def _lab(hosts: int) -> Iterator[tuple[Lab, dict[str, float]]]:
    """Have a lab, and how long each step of making it took."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[STATE_VARIABLE] = folder
        said = f"controlPlane: 1\nworkers: {hosts - 1}\n"
        plan = planned(said, name=f"bench-{os.getpid()}", taken=taken_networks())
        times: dict[str, float] = {}
        began = time.perf_counter()
        reached = ""

        def note(step: Step) -> None:
            nonlocal began, reached
            now = time.perf_counter()
            if reached:
                times[reached] = now - began
            began, reached = now, str(step)

        try:
            yield lifecycle.create(plan, on_step=note), times
        except IngotError as error:
            sys.exit(f"{error.what}\n{error.remedy}")
        finally:
            lifecycle.destroy(plan.name)
            del os.environ[STATE_VARIABLE]


def _report_idle(lab: Lab) -> None:
    processes = namespaces.processes_in([lab.plan().namespace])
    before, started = _cpu_seconds(processes), time.perf_counter()
    time.sleep(IDLE_SECONDS)
    share = 100 * (_cpu_seconds(processes) - before) / (time.perf_counter() - started)
    memory = sum(map(_own_megabytes, processes))
    print(
        f"  {IDLE_HOSTS} hosts, all off  {memory:6.0f} MB (aim: {MEMORY_LIMIT_MB})   "
        f"{share:.2f} % of a core (aim: {CPU_LIMIT_PERCENT}), {len(processes)} processes"
    )


def _cpu_seconds(processes: list[int]) -> float:
    ticks = 0
    for pid in processes:
        words = Path("/proc", str(pid), "stat").read_text(encoding="utf-8")
        ticks += sum(map(int, words.rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _own_megabytes(pid: int) -> float:
    """Return what a process takes, its share of what it has in common with others included."""
    lines = Path("/proc", str(pid), "smaps_rollup").read_text(encoding="utf-8").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000
