"""One processor for a machine: its kernel and what runs on it take turns, and never run at once.

A guest's program is one process of this PC, and the guest's kernel another. Each system call and
each page that is first touched goes from the one to the other and back. On two processors that
wakes up an idle one, twice; on one it is a change of tasks. 55 and 13 microseconds were measured
for a system call, on a PC that is itself virtual. The scheduler spreads them, since each of the two
looks idle whenever the other runs.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["keep_to_one_processor", "least_shared", "machines_processors"]

PLACE = Path("/run")
"""Locked while one chooses: machines that start together would all take the same processor."""

PATIENCE_SECONDS = 1.0
LOOK_SECONDS = 0.01

FIRMWARE = b"ingot.machine.firmware"
KERNEL = b"/firmware"
"""How a machine's process is called: by the module, and after that by its launcher."""


def keep_to_one_processor() -> None:
    """Keep this process, and all that it starts, to the processor that fewest machines have.

    What has one already keeps it: it was given it by somebody, or by us before a reset.
    """
    allowed = os.sched_getaffinity(0)
    if len(allowed) == 1:
        return
    with _others_waiting():
        os.sched_setaffinity(0, {least_shared(allowed, machines_processors())})


def least_shared(allowed: Collection[int], taken: Iterable[int]) -> int:
    """Return the processor that fewest have, the first of several.

    Args:
        allowed: those to choose from.
        taken: one for each machine.
    """
    shares = Counter(taken)
    return min(sorted(allowed), key=lambda one: shares[one])


def machines_processors() -> Iterator[int]:
    """Return the processor of each machine that has one alone."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        with suppress(OSError):  # It has ended meanwhile.
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if words[0].endswith(KERNEL) or FIRMWARE in words:
                own = os.sched_getaffinity(int(entry.name))
                if len(own) == 1:
                    yield from own


@contextmanager
def _others_waiting() -> Iterator[None]:
    """Be the only one who chooses; for a second at most, since it is not worth more."""
    descriptor = os.open(PLACE, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(LOOK_SECONDS)
        yield
    finally:
        os.close(descriptor)
