"""VIPs as addresses of this node: which it has, and taking them away.

keepalived takes its VIPs away when it stops. One that was killed leaves them, one that is frozen
keeps them, and the kernel goes on answering for both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ingot.onprem.interfaces import LocalAddress, read_addresses
from ingot.onprem.keepalived import VIP_LABEL
from ingot.onprem.model import Address
from ingot.process import CommandFailed, run

__all__ = ["held_vips", "take_away"]


def held_vips(addresses: Iterable[LocalAddress], vips: Collection[Address]) -> list[LocalAddress]:
    """Return the VIPs among a node's addresses, those of a former configuration included."""
    return [one for one in addresses if one.address in vips or one.label == VIP_LABEL]


def take_away(vips: Collection[Address]) -> tuple[LocalAddress, ...]:
    """Remove every VIP that this node has, and return those that it had.

    Raises:
        CommandFailed: one of them is still there.
    """
    found = held_vips(read_addresses(), vips)
    for one in found:
        try:
            run(["ip", "address", "delete", str(one.within), "dev", one.interface])
        except CommandFailed:
            if one in held_vips(read_addresses(), vips):
                raise  # Else somebody was faster.
    return tuple(found)
