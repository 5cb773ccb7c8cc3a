"""What the processes of a site have used, from /proc."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """Return what a process has used."""
    fields = Path("/proc", str(pid), "stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def machine_cpu_seconds() -> float:
    """Return what everything on this machine has used."""
    fields = Path("/proc/stat").read_text("utf-8").splitlines()[0].split()[1:]
    user, nice, system, _idle, _waiting, *interrupts = map(int, fields[:7])
    return (user + nice + system + sum(interrupts)) / TICKS


def connections(pid: int, port: int) -> int:
    """Return how many connections a process has to a port of loopback."""
    held = set()
    for entry in Path("/proc", str(pid), "fd").iterdir():
        with suppress(FileNotFoundError):
            held.add(str(entry.readlink()))
    lines = Path("/proc", str(pid), "net", "tcp").read_text("utf-8").splitlines()[1:]
    to_port = (line.split() for line in lines if line.split()[2].endswith(f":{port:04X}"))
    return sum(f"socket:[{fields[9]}]" in held for fields in to_port)


def peak_megabytes(pid: int) -> float:
    """Return the most memory that a process ever had resident."""
    for line in Path("/proc", str(pid), "status").read_text("utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise AssertionError(f"process {pid} has no memory")
