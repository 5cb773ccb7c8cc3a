"""How fast the command line starts, compared with Python itself."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.bench.timing import Timing, timed_command

RUNS = 40
LIMIT = 3.0


def report() -> Timing:
    """Print the ratios and return the time of `ingot version`."""
    python = Path(sys.executable)
    ingot = python.parent / "ingot"
    floor = timed_command([python, "-c", "pass"], RUNS)
    version = timed_command([ingot, "version"], RUNS)
    helped = timed_command([ingot, "--help"], RUNS)
    print("Start of the command line")
    print(f"  python -c pass   {floor}")
    for name, timing in (("ingot version", version), ("ingot --help", helped)):
        ratio = timing.median / floor.median
        print(f"  {name:<15}  {timing}   {ratio:.2f} x python (aim: {LIMIT:.0f})")
    return version
