"""How long the firmware waits for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingot.machine.firmware.dhcp.client import DELAYS, IPXE_DELAYS
from ingot.machine.firmware.download import STALL_SECONDS

__all__ = ["Timing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds.

    Attributes:
        rom: after each DHCP question of the boot ROM.
        ipxe: after each of iPXE's.
        stall: how long nothing may come of a download.
        failure: how long a failed download takes at least. Scripts repeat them for ever, and many
            machines that do so without a pause would leave this PC no time for anything else.
        reset: how long the machine takes to start over, for the same reason.
    """

    rom: Sequence[float] = DELAYS
    ipxe: Sequence[float] = IPXE_DELAYS
    stall: float = STALL_SECONDS
    failure: float = 1.0
    reset: float = 3.0
