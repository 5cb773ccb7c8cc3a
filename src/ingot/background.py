"""A program that outlives the command that started it, and is found again by any later one.

A process number alone may by then belong to another process. Together with the time the process
started, which the kernel keeps, it is unique until the machine is started over; so after a reboot
no record matches by accident, because it names the boot as well.

The program begins only when its record is written: whoever is killed while starting one leaves
either a program that can be found, or none.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ingot.errors import ExitCode, IngotError

__all__ = ["Background", "StillRunning", "end_process", "keep_child"]

GRACE_SECONDS = 5.0
"""How long a program has to end after it was asked to."""

KILL_SECONDS = 30.0
"""How long the kernel has to clear away what was killed: much memory, a busy machine."""

GATE = 'read -r _ && exec "$@" </dev/null'
"""Waits to be told, and then becomes the program; ends where who would tell it is gone."""

_children: list[subprocess.Popen[bytes]] = []
"""Those we started that may still run. That they outlive us is meant; forgotten, Python warns."""


class StillRunning(IngotError):  # noqa: N818 - it says what was seen
    """A killed process does not go away."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, pid: int, seconds: float) -> None:
        super().__init__(
            f"process {pid} was killed and is still there after {seconds:.0f} seconds",
            remedy=f"see what it waits for: `cat /proc/{pid}/stack`; then try again",
        )
        self.pid = pid


@dataclass(frozen=True, slots=True)
class Background:
    """One such program, known by the file that records it.

    Attributes:
        record: where its process is written down.
    """

    record: Path

    def start(
        self,
        command: Sequence[str | Path],
        *,
        output: IO[bytes] | int,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start it in a session of its own, and record it.

        Args:
            command: the program and its arguments.
            output: where it writes, errors included.
            env: variables to add to our own.
        """
        process = subprocess.Popen(  # noqa: S603 - every caller names its program
            ["/bin/sh", "-c", GATE, "sh", *(str(word) for word in command)],
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        keep_child(process)
        seen = {"pid": process.pid, "started": _started(process.pid), "boot": _boot_id()}
        fresh = self.record.with_suffix(".new")
        fresh.write_text(json.dumps(seen), encoding="utf-8")
        fresh.replace(self.record)
        if process.stdin:
            with suppress(BrokenPipeError), process.stdin as gate:  # It may have been ended.
                gate.write(b"\n")
        return process

    def pid(self) -> int | None:
        """Return its process number while it runs."""
        try:
            seen = json.loads(self.record.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        pid = int(seen["pid"])
        same = seen["boot"] == _boot_id() and seen["started"] == _started(pid)
        return pid if same and _is_running(pid) else None

    def stop(self, *, grace: float = GRACE_SECONDS) -> None:
        """End it and everything in its session's group; it is gone when this returns.

        Args:
            grace: how long it may take after it was asked; 0 does not ask.

        Raises:
            StillRunning: the kernel does not let it go.
        """
        pid = self.pid()
        if pid is not None:
            end_process(pid, grace=grace)
        self.record.unlink(missing_ok=True)


def end_process(pid: int, *, grace: float = GRACE_SECONDS) -> None:
    """End a process that leads a group, with its group, and wait until all of it is gone.

    Raises:
        StillRunning: the kernel does not let it go.
    """
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        try:
            if grace:
                os.killpg(pid, signal.SIGTERM)
                _wait(handle, pid, grace)
            os.killpg(pid, signal.SIGKILL)
            _wait(handle, pid, KILL_SECONDS)
        finally:
            os.close(handle)
    deadline = time.monotonic() + KILL_SECONDS
    while _group_runs(pid):
        if time.monotonic() > deadline:
            raise StillRunning(pid, KILL_SECONDS)
        time.sleep(0.005)


def keep_child(process: subprocess.Popen[bytes]) -> None:
    """Keep a child that is meant to outlive us, and bury those kept before that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]
    _children.append(process)


def _wait(handle: int, pid: int, seconds: float) -> None:
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    waiting.poll(seconds * 1000)
    _bury(pid)


def _bury(pid: int) -> None:
    for child in _children:
        if child.pid == pid:
            child.poll()  # It keeps what it learns: else it would still take itself for running.


def _group_runs(pid: int) -> bool:
    """Tell whether anyone in a group is left who is not just waiting to be buried."""
    facts = (_facts(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit())
    return any(fact and fact[2] == str(pid) and fact[0] not in "ZX" for fact in facts)


def _is_running(pid: int) -> bool:
    facts = _facts(pid)
    if facts and facts[0] == "Z":
        _bury(pid)
    return facts is not None and facts[0] not in "ZX"


def _started(pid: int) -> int | None:
    facts = _facts(pid)
    return int(facts[19]) if facts else None


def _facts(pid: int) -> list[str] | None:
    """Return what the kernel says of a process, from its state on: proc(5), `stat`."""
    try:
        stat = Path("/proc", str(pid), "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return stat.rpartition(")")[2].split()


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
