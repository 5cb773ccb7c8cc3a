"""keepalived's pipe, in which it tells what it has become."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["Notices"]

MOST_BYTES = 65536


class Notices:
    """The pipe, with us at its reading end before keepalived opens the other."""

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        self._path = path
        self._tell = tell
        self._descriptor = -1
        self._begun = b""

    def open(self) -> None:
        """Make the pipe anew, and read from it while the loop runs.

        Raises:
            OSError: it cannot be made.
        """
        self.close()
        with suppress(FileNotFoundError):
            self._path.unlink()
        os.mkfifo(self._path, 0o600)
        # For writing too: else it would be at its end whenever keepalived is not there.
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        asyncio.get_running_loop().add_reader(self._descriptor, self.take)

    def take(self) -> None:
        """Tell every line that has arrived."""
        if self._descriptor < 0:
            return
        with suppress(BlockingIOError):
            self._begun += os.read(self._descriptor, MOST_BYTES)
        *lines, self._begun = self._begun.split(b"\n")
        for line in lines:
            self._tell(line.decode(errors="replace"))

    def close(self) -> None:
        """Read no more."""
        if self._descriptor >= 0:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
        self._descriptor, self._begun = -1, b""
