"""A program that outlives the command that started it, and is found again by any later one.

A process number alone may by then belong to another process. Together with the time the process
started, which the kernel keeps, it is unique until the machine is started over; so after a reboot
no record matches by accident, because it names the boot as well.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

__all__ = ["Background", "end_process"]

GRACE_SECONDS = 5.0
"""How long a program has to end after it was asked to."""


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
        executable: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start it in a session of its own, and record it.

        Args:
            command: the program and its arguments.
            output: where it writes, errors included.
            executable: what to run, where that is not the first word of the command.
            env: variables to add to our own.
        """
        process = subprocess.Popen(  # noqa: S603 - every caller names its program
            [str(word) for word in command],
            executable=executable,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        seen = {"pid": process.pid, "started": _started(process.pid), "boot": _boot_id()}
        fresh = self.record.with_suffix(".new")
        fresh.write_text(json.dumps(seen), encoding="utf-8")
        fresh.replace(self.record)
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
        """
        pid = self.pid()
        if pid is not None:
            end_process(pid, grace=grace)
        self.record.unlink(missing_ok=True)


def end_process(pid: int, *, grace: float = GRACE_SECONDS) -> None:
    """End a process that leads a group, with its group, and wait until it is gone."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        try:
            if grace:
                os.killpg(pid, signal.SIGTERM)
                _wait(handle, pid, grace)
            os.killpg(pid, signal.SIGKILL)
            _wait(handle, pid, GRACE_SECONDS)
        finally:
            os.close(handle)


def _wait(handle: int, pid: int, seconds: float) -> None:
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    waiting.poll(seconds * 1000)
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # Where it is a child of ours, nobody else buries it.


def _started(pid: int) -> int | None:
    try:
        stat = Path("/proc", str(pid), "stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(stat.rpartition(")")[2].split()[19])


def _is_running(pid: int) -> bool:
    try:
        stat = Path("/proc", str(pid), "stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    if stat.rpartition(")")[2].split()[0] == "Z":
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        return False
    return True


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
