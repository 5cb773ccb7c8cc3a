"""Reading a host's console while it grows, is cut short, or begins anew."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["follow", "past"]

LOOKING_SECONDS = 0.2
BLOCK = 64 * 1024


def past(log: Path, lines: int | None) -> tuple[bytes, int]:
    """Return the last lines of a console, all without a number, and where they end."""
    try:
        with log.open("rb") as file:
            if lines is None:
                text = file.read()
                return text, len(text)
            return _last(file.fileno(), lines)
    except FileNotFoundError:
        return b"", 0  # Nothing was ever powered on.


def _last(file: int, lines: int) -> tuple[bytes, int]:
    end = start = os.fstat(file).st_size
    text = b""
    # The newline that ends the last line begins no further one.
    while start > 0 and text[:-1].count(b"\n") < lines:
        size = min(BLOCK, start)
        start -= size
        text = os.pread(file, size, start) + text
    kept = text.splitlines(keepends=True)[-lines:] if lines else []
    return b"".join(kept), end


def follow(
    log: Path, position: int, pause: Callable[[], None] = lambda: time.sleep(LOOKING_SECONDS)
) -> Iterator[bytes]:
    """Return what a console shows from a position on, as it comes, for ever.

    A file that has become shorter has begun anew, as one that is another file by the same name.

    Args:
        log: the console.
        position: how much of it is known.
        pause: called when there is nothing new.
    """
    known: tuple[int, int] | None = None
    while True:
        try:
            with log.open("rb") as file:
                facts = os.fstat(file.fileno())
                identity = facts.st_dev, facts.st_ino
                if facts.st_size < position or known not in (None, identity):
                    position = 0
                known = identity
                file.seek(position)
                while text := file.read(BLOCK):
                    position += len(text)
                    yield text
        except FileNotFoundError:
            position = 0
        pause()
