"""Network namespaces by name, as `ip netns` keeps them: entering one, ending what runs there.

Only the network is entered. `ip netns exec` gives a program mounts of its own as well, and what is
mounted there stays unseen outside: a namespace that is made in there has a name nobody can use.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ingot.errors import ExitCode, IngotError
from ingot.process import run

__all__ = [
    "NAMED",
    "StillRunning",
    "delete",
    "end_processes",
    "exists",
    "inside",
    "is_inside",
    "processes_in",
]

NAMED = Path("/run/netns")
"""Where `ip netns` keeps the names."""

T = TypeVar("T")

CLONE_NEWNET = 0x40000000
GRACE_SECONDS = 10.0


class StillRunning(IngotError):  # noqa: N818 - it says what was seen
    """Processes do not end, not even by force."""

    exit_code = ExitCode.INFRASTRUCTURE


def exists(name: str) -> bool:
    """Tell whether there is a namespace of that name; a name that is left of one is not enough."""
    try:
        return (NAMED / name).stat().st_dev != NAMED.stat().st_dev
    except FileNotFoundError:
        return False


def delete(name: str) -> None:
    """Remove a namespace's name; the namespace goes with the last process that is in it."""
    if os.path.lexists(NAMED / name):
        run(["ip", "netns", "delete", name], remedy="see `ip netns list`")


def inside(name: str, work: Callable[[], T]) -> T:
    """Do something on the network of a namespace, programs that it starts included."""

    def entered() -> T:
        descriptor = os.open(NAMED / name, os.O_RDONLY)
        try:
            _enter(descriptor)
        finally:
            os.close(descriptor)
        return work()

    # A namespace is entered by a thread alone, and this one ends here: nothing to go back from.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(entered).result()


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, f"setns: {os.strerror(number)}")


def is_inside(names: Iterable[str]) -> bool:
    """Tell whether this process itself is in one of some namespaces."""
    return _identity(Path("/proc/self/ns/net")) in _identities(names)


def end_processes(names: Iterable[str]) -> None:
    """End every process in some namespaces, by force; they are gone when this returns.

    Raises:
        StillRunning: some are still there after a while.
    """
    wanted = tuple(names)
    deadline = time.monotonic() + GRACE_SECONDS
    # Those that were just being started are found by looking again.
    while running := processes_in(wanted):
        left = deadline - time.monotonic()
        if left < 0:
            raise StillRunning(
                f"processes on the lab's network do not end: {', '.join(map(str, running))}",
                remedy="see what holds them with `ps`, then run the same command again",
            )
        for pid in running:
            _end(pid, left)


def _end(pid: int, seconds: float) -> None:
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        try:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            waiting = select.poll()
            waiting.register(handle, select.POLLIN)
            waiting.poll(seconds * 1000)
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)  # Where it is a child of ours, nobody else buries it.
        finally:
            os.close(handle)


def processes_in(names: Iterable[str]) -> list[int]:
    """Return the processes in some namespaces."""
    wanted = _identities(names)
    if not wanted:
        return []
    numbers = (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [
        int(number) for number in numbers if _identity(Path("/proc", number, "ns/net")) in wanted
    ]


def _identities(names: Iterable[str]) -> set[tuple[int, int]]:
    found = (_identity(NAMED / name) for name in names if exists(name))
    return {one for one in found if one is not None}


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        seen = path.stat()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None  # It has ended, or is dead and not yet buried.
    return seen.st_dev, seen.st_ino
