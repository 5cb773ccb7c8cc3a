"""The virtual drive of a running machine: a block device that comes and goes.

A kernel does not give up a device that somebody in the guest has open, and there is no way to tear
it away as a BMC does with its USB drive. The guest then keeps what it has until it starts over.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from ingot.machine.uml.mconsole import KernelAbsent, KernelRefuses, KernelSilent, order

__all__ = ["change_media"]

LOOK_SECONDS = 2.0
"""How long a guest has to look at new media and close it again: partitions, udev's labels."""


def change_media(door: Path, unit: int, media: Path | None) -> None:
    """Show other media to a guest, or none, as far as the guest allows.

    Args:
        door: the socket where the kernel listens.
        unit: the number of the block device that is the drive.
        media: what is to be in it.
    """
    # Where no kernel runs yet, the firmware will read the settings and attach what they say.
    with suppress(KernelAbsent, KernelSilent, KernelRefuses):
        _remove(door, unit)
        if media:
            order(door, f"config ubd{unit}r={media}")


def _remove(door: Path, unit: int) -> None:
    deadline = time.monotonic() + LOOK_SECONDS
    while order(door, f"config ubd{unit}"):  # It answers with the file, where there is one.
        try:
            order(door, f"remove ubd{unit}")
        except KernelRefuses:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
