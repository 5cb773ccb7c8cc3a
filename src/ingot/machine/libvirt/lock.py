"""A file that is held by one of us at a time, in whatever thread or process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["held"]


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a file, made if it is not there; who holds it may remove it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(file.fileno(), path):  # Else it was removed while we waited.
                yield
                return


def _is_at(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False
