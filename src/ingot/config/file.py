"""An install-config as a file of the user's machine, or standard input."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from ingot.config.document import F1, MAX_BYTES
from ingot.config.loading import Loaded, load
from ingot.config.problem import Problem, Report, Severity

__all__ = ["load_file", "read_file"]


def load_file(path: Path) -> Loaded:
    """Load a config from a file; `-` is standard input. What cannot be read is a problem too."""
    try:
        return load(read_file(path))
    except OSError as refused:
        return _unreadable(refused.strerror or str(refused), path)


def read_file(path: Path) -> bytes:
    """Read a file, or standard input: one byte more than it may have, enough to tell its size."""
    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    # Not blocking, so that a pipe that nobody writes to does not hang.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(21, "Is a directory", path)
        if stat.S_ISFIFO(kind):
            os.set_blocking(descriptor, True)
        return file.read(MAX_BYTES + 1)


def _unreadable(why: str, path: Path) -> Loaded:
    problem = Problem(
        F1,
        "",
        0,
        f"{path} cannot be read: {why[:1].lower()}{why[1:]}",
        "name the file, or make one with `ingot create install-config`",
        Severity.ERROR,
    )
    return Loaded(None, Report([problem]))
