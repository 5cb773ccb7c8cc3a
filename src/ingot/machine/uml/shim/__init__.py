"""What makes the disks and the clock of a User-Mode Linux machine misbehave.

A library that is loaded into the machine's kernel stands between it and the C library. It reads
what to do from a file that may change while the machine runs. See `faults.c` for how.
"""

from __future__ import annotations

from ingot.machine.uml.shim.file import ShimFaults, write_faults
from ingot.machine.uml.shim.recipe import LIBRARY, fault_shim

__all__ = ["LIBRARY", "ShimFaults", "fault_shim", "write_faults"]
