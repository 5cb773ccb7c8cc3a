"""The program that a machine starts with: `python -m ingot.machine.firmware HOME`."""

from __future__ import annotations

import sys
from pathlib import Path

from ingot.machine.firmware.start import power_on
from ingot.machine.home import Home

if __name__ == "__main__":
    power_on(Home(Path(sys.argv[1])))
