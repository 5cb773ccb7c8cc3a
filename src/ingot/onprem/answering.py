"""Whether anybody on the wire answers for a VIP, asked by the kernel's own ARP or ND.

The kernel forgets who had the address, a datagram makes it ask, and its table of neighbours tells
what came of that. For nodes that are about to take part in holding a VIP; the holder itself would
only ask itself.
"""

from __future__ import annotations

import asyncio
import json
import socket

from ingot.onprem.model import Address, Family, family_of
from ingot.onprem.problem import BadAnswerError
from ingot.process import CommandFailed, run

__all__ = ["is_answered", "seen_neighbour"]

DISCARD = 9
"""The port whose service throws away what it gets; nobody needs to listen there."""

PATIENCE = 1.0
"""Seconds; a neighbour answers within milliseconds, and the kernel asks again after one."""

LOOK_SECONDS = 0.02


async def is_answered(vip: Address, interface: str, *, within: float = PATIENCE) -> bool:
    """Return whether somebody else answers for an address.

    Args:
        vip: the address, which this node must not have itself.
        interface: where to ask.
        within: for how many seconds to wait for an answer.

    Raises:
        CommandFailed: there is no such network card.
        BadAnswerError: what `ip` says cannot be understood.
    """
    await asyncio.to_thread(_forget, vip, interface)
    _make_kernel_ask(vip, interface)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while loop.time() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
        words = ["ip", "-j", "neighbour", "show", "to", str(vip), "dev", interface]
        if seen_neighbour(await asyncio.to_thread(run, words)):
            return True
    return False


def seen_neighbour(text: str) -> bool:
    """Return whether `ip -j neighbour` names a neighbour with a hardware address.

    Raises:
        BadAnswerError: this is not what it says.
    """
    try:
        return any("lladdr" in one for one in json.loads(text or "[]"))
    except (ValueError, TypeError) as error:
        raise BadAnswerError("ip", text) from error


def _forget(vip: Address, interface: str) -> None:
    try:
        run(["ip", "neighbour", "delete", str(vip), "dev", interface])
    except CommandFailed as error:
        if "No such file" not in error.output:
            raise  # Else there was nothing to forget.


def _make_kernel_ask(vip: Address, interface: str) -> None:
    inet = socket.AF_INET if family_of(vip) is Family.IPV4 else socket.AF_INET6
    with socket.socket(inet, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        out.sendto(b"", (str(vip), DISCARD))
