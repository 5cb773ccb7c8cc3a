"""How a command or a call is timed: many short runs, of which the median and the best count."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


class Timing(NamedTuple):
    """Seconds of one run."""

    best: float
    median: float

    def __str__(self) -> str:
        return f"{self.median * 1000:7.1f} ms (best {self.best * 1000:.1f})"


def timed(action: Callable[[], object], runs: int) -> Timing:
    """Time an action; the first, cold run is not counted."""
    action()
    seconds = []
    for _ in range(runs):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return Timing(min(seconds), statistics.median(seconds))


def timed_command(words: Sequence[str | Path], runs: int) -> Timing:
    """Time a whole process."""

    def run() -> None:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    return timed(run, runs)
