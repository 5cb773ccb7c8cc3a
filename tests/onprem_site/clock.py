"""A clock of a node's own, for the time of day; the monotonic clock goes on as ever.

A jump of the real one was rejected: this machine has one for all. A namespace of time was too: it
shifts the monotonic clock, once, before its first process. What a paused machine sees of time is
what a frozen node sees. Programs that do not ask the C library, as those written in Go, see the
machine's time.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.site import call

SOURCE = Path(__file__).with_name("clock.c")


@dataclass(frozen=True)
class Clock:
    """A node's clock.

    Attributes:
        library: what its programs are started with.
        shift: the file with the difference to this machine's clock, in nanoseconds.
    """

    library: Path
    shift: Path

    @classmethod
    def made(cls, folder: Path, name: str) -> Clock:
        """Make one that shows the right time."""
        library = folder / "clock.so"
        if not library.exists():
            call("gcc", "-shared", "-fPIC", "-O2", "-Wall", "-o", library, SOURCE, "-ldl")
        clock = cls(library, folder / name / "clock")
        clock.jump(0)
        return clock

    @property
    def env(self) -> Mapping[str, str]:
        """What a program's environment needs."""
        return {"LD_PRELOAD": str(self.library), "SITE_CLOCK": str(self.shift)}

    def jump(self, seconds: float) -> None:
        """Let it differ by that much from this machine's clock, at once."""
        self.shift.touch()
        with self.shift.open("r+b") as file:
            file.write(struct.pack("q", round(seconds * 1e9)))
