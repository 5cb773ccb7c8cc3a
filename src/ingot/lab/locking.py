"""One at a time: whoever makes, starts, stops or removes a lab holds its lock.

Who makes one holds a lock of the whole PC as well, from choosing networks until they are laid: two
who choose at once would choose the same.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ingot.lab.labs import Lab, labs_home

__all__ = ["choosing_networks", "held"]

WHOLE_PC = Path("/run")
"""A folder is locked, so that nothing is left; not where labs are kept, which may differ."""

TRIES = 100


@contextmanager
def held(lab: Lab, *, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold a lab's lock; `on_wait` is called once if someone else holds it.

    The lock is a file beside the lab's folder, which may come and go under it; it goes as well when
    nothing of the lab is left.
    """
    path = labs_home() / f".{lab.name}.lock"
    while True:
        with _opened(path) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait()
                fcntl.flock(file, fcntl.LOCK_EX)
            if not _is_at(file.fileno(), path):
                continue  # It went with the lab while we waited, and a new one may be there.
            try:
                yield
            finally:
                if not lab.exists:
                    path.unlink(missing_ok=True)
                    with suppress(OSError):  # Unless there is something else in them.
                        path.parent.rmdir()
                        path.parent.parent.rmdir()
            return


@contextmanager
def choosing_networks(*, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Be the only one on this PC who chooses networks; `on_wait` is called once if one is not."""
    folder = os.open(WHOLE_PC, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _opened(path: Path) -> IO[str]:
    """Open a file in a folder that whoever removes the last lab may remove at any moment."""
    for tries_left in reversed(range(TRIES)):
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return path.open("w", encoding="utf-8")
        except (FileNotFoundError, FileExistsError):
            if not tries_left:
                raise
    raise AssertionError("the last try returns or raises")


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
