"""What the firmware says on the serial console, each line with the seconds since power on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from ingot.machine.home import Home
from ingot.machine.model import BootSource

__all__ = ["Console", "size_of"]


class Console:
    """The serial console, and the few words that tell the driver what goes on."""

    def __init__(
        self,
        home: Home,
        *,
        clock: Callable[[], float] = time.monotonic,
        output: int = 1,
    ) -> None:
        self._home = home
        self._clock = clock
        self._output = output
        self._start = clock()

    def banner(self, text: str) -> None:
        """Begin, with the time of day: the seconds of all further lines count from here."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.say(f"{text}; it is {now}")

    def say(self, text: str) -> None:
        """Show lines."""
        since = f"[{self._clock() - self._start:7.3f}]"
        lines = "".join(f"{since} {line}\n" for line in text.splitlines() or [""])
        # A server boots all the same when nobody listens to its console.
        with suppress(OSError):
            os.write(self._output, lines.encode(errors="replace"))

    def doing(self, words: str, source: BootSource | None = None) -> None:
        """Note what the machine does; not shown here."""
        self._home.set_activity(words, source)


def size_of(count: int) -> str:
    """Return a number of bytes as people read it."""
    if count < 1 << 20:
        return f"{count} bytes"
    return f"{count / (1 << 20):.1f} MiB"
