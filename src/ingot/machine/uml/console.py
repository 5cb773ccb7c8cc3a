"""The serial console of a machine, kept in a file.

The kernel wants a console that it can wait on, and that is a pipe and not a file. So a program
stands in between that only copies. It is nobody's child in the end: it outlives whoever powered the
machine, and ends when the last writer does.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingot.background import keep_child

__all__ = ["recorded_console"]


@contextmanager
def recorded_console(log: Path) -> Iterator[int]:
    """Give a descriptor to write to; what it is handed to goes on writing after the block."""
    reader, writer = os.pipe()
    try:
        with log.open("ab", buffering=0) as file:
            copying = subprocess.Popen(
                ["/bin/cat"],
                stdin=reader,
                stdout=file,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        keep_child(copying)
        yield writer
    finally:
        os.close(reader)
        os.close(writer)
