"""A daemon as our child: it ends with us, is known to have ended at once, and is reaped.

It writes to our own log, not through us: whoever is slow to read could stop it by that. Its end is
told by the kernel through a descriptor, also that of a child's child, of which we become the parent
when the one between has died.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

__all__ = ["Child", "adopt_orphans", "end_now", "ended", "process_state", "reap"]

PR_SET_CHILD_SUBREAPER = 36
"""prctl(2)."""

SEARCH_PATH = "/usr/local/sbin:/usr/sbin:/sbin"


def adopt_orphans() -> None:
    """Become the parent of what our children leave behind, so that it can be reaped."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Child:
    """A running daemon.

    Attributes:
        name: how it is called in logs.
        gone: done when it has ended.
    """

    def __init__(self, name: str, command: Sequence[str | Path], *, if_orphaned: str) -> None:
        """Start it; to be called in the main thread of a running loop.

        Args:
            name: how it is called in logs.
            command: the program and its arguments.
            if_orphaned: the signal that it gets when we die, as in `TERM`. The kernel sends it
                when the thread that started it ends, which is why that has to be the main one.

        Raises:
            FileNotFoundError: there is no such program.
        """
        self.name = name
        path = f"{os.environ.get('PATH', os.defpath)}:{SEARCH_PATH}"
        words = ["setpriv", "--pdeathsig", if_orphaned, "--", *map(str, command)]
        self._process = subprocess.Popen(  # noqa: S603 - the caller names the program
            words,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.gone: asyncio.Task[str] = asyncio.create_task(self._until_gone())

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return not self.gone.done() and self._process.poll() is None

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal, if it is there."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def kill(self, *others: int) -> None:
        """End it at once, with its group and with more of its processes."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in others:
            end_now(pid)

    async def stop(self, *, grace: float) -> str:
        """Ask it to end, kill it where it does not in time, and return how it ended."""
        self.tell(signal.SIGTERM)
        try:
            return await asyncio.wait_for(asyncio.shield(self.gone), grace)
        except TimeoutError:
            self.kill()
            return await self.gone

    async def _until_gone(self) -> str:
        await ended(self.pid)
        code = self._process.wait()
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}"
        return f"ended with {code}"


def end_now(pid: int) -> None:
    """Kill a process, if it is there."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def reap(pid: int) -> None:
    """Bury a process that has ended and that we have become the parent of."""
    if pid:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


async def ended(pid: int) -> None:
    """Return when a process has ended, whoever is its parent."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return  # There is no such process, or none at all is meant.
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    loop.add_reader(handle, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def process_state(pid: int) -> tuple[str, int] | None:
    """Return a process's state as proc(5) has it, and how often it has gone to sleep by itself.

    The latter is a pulse: what waits for the next moment to act goes to sleep each time. Neither
    what is stopped, nor what hangs in the kernel, nor what turns in circles does.
    """
    try:
        text = Path("/proc", str(pid), "status").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    said = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    return said["State"][0], int(said["voluntary_ctxt_switches"])
