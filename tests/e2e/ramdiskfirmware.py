"""Firmware that hands over to one ramdisk, as the real one does: `… RAMDISK HOME`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ingot.machine.firmware.handover import become, command_line
from ingot.machine.firmware.target import Target
from ingot.machine.home import Home
from ingot.machine.model import BootSource


def main(ramdisk: Path, home: Home) -> None:
    os.closerange(3, 1024)
    parts = home.parts()
    target = Target(source=BootSource.DISK, kernel=parts.kernel, arguments=("quiet",))
    line = command_line(home, home.spec(), target, initrd=ramdisk, media=None)
    become(home, parts, parts.kernel, line.words)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Home(Path(sys.argv[2])))
