"""A log that another program writes, read as it grows.

It may not be there yet, be emptied, or be replaced by a new one at any time. A log that was
replaced is read to its end first: its writer may go on in it until it is told of the new one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["LogFile", "older"]

TAIL: Final = 1 << 20
"""How much of it is read when it is opened first: about a hundred boots, of 10 kB each."""
AT_ONCE: Final = 1 << 20
LONGEST: Final = 1 << 16
"""What is longer without a line's end is no line."""


def older(log: Path) -> Path:
    """Return where a log goes when it is replaced by a new one."""
    return log.with_name(f"{log.name}.1")


class LogFile:
    """One log. All its methods may block, but only as long as a disk does."""

    def __init__(self, path: Path, *, tail: int = TAIL) -> None:
        self.path = path
        self._tail = tail
        self._file: BinaryIO | None = None
        self._rest = b""
        self._replaced = False
        self._is_new = True
        """It has never been looked for."""

    @property
    def is_open(self) -> bool:
        """Whether it was there and could be read."""
        return self._file is not None

    def lines(self) -> list[str]:
        """Return the lines that have come since the last time; the first time, the last ones.

        Raises:
            OSError: it is there and cannot be read.
        """
        if self._file is None:
            return self._opened()
        found = self._more(self._file)
        if self._replaced:  # noticed the last time, so its writer has had time to notice too
            self.close()
            return found + self._opened()
        self._replaced = self._is_replaced(self._file)
        return found

    def close(self) -> None:
        """Let go of it."""
        if self._file is not None:
            self._file.close()
        self._file, self._rest, self._replaced = None, b"", False

    def _opened(self) -> list[str]:
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            self._is_new = False  # all of it will have come since
            return []
        self._file = file
        before: list[str] = []
        if self._is_new:
            self._is_new = False
            size = os.fstat(file.fileno()).st_size
            if size > self._tail:
                file.seek(size - self._tail)
                file.readline(LONGEST)
            elif size < self._tail:
                before = _end_of(older(self.path), self._tail - size)
        return before + self._more(file)

    def _more(self, file: BinaryIO) -> list[str]:
        if os.fstat(file.fileno()).st_size < file.tell():  # it was emptied
            file.seek(0)
            self._rest = b""
        *whole, rest = (self._rest + file.read(AT_ONCE)).split(b"\n")
        self._rest = rest if len(rest) <= LONGEST else b""
        return [line.decode("utf-8", "replace") for line in whole]

    def _is_replaced(self, file: BinaryIO) -> bool:
        try:
            now = self.path.stat()
        except FileNotFoundError:
            return False  # for now; it is read on until there is a new one
        ours = os.fstat(file.fileno())
        return (now.st_dev, now.st_ino) != (ours.st_dev, ours.st_ino)


def _end_of(path: Path, size: int) -> list[str]:
    """Return the last lines of a file that may be missing."""
    try:
        with path.open("rb") as file:
            all_of_it = os.fstat(file.fileno()).st_size
            if all_of_it > size:
                file.seek(all_of_it - size)
                file.readline(LONGEST)
            text = file.read(size)
    except OSError:
        return []
    return text.decode("utf-8", "replace").splitlines()
