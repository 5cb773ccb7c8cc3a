"""The machine's first network card, as long as the firmware has it.

The card lives in a network namespace of the machine's own, so that its address can never meet the
host's. Kernel and firmware use different ends of the same bridge; the firmware leaves its end
silent behind itself.
"""

from __future__ import annotations

import ctypes
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from ingot.machine.firmware.target import NotBootable
from ingot.process import run

__all__ = ["Card", "opened_card"]

CLONE_NEWNET = 0x40000000
NAMESPACES = Path("/run/netns")
CARRIER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Card:
    """A network device that is up."""

    name: str

    def use(self, address: IPv4Interface, gateway: IPv4Address | None) -> None:
        """Take an address, instead of any other."""
        lines = [
            f"address flush dev {self.name}",
            f"address add {address} broadcast + dev {self.name}",
        ]
        if gateway:
            # The gateway need not be in the network that the mask says.
            lines.append(f"route replace default via {gateway} dev {self.name} onlink")
        _ip(*lines)


@contextmanager
def opened_card(namespace: str, name: str = "net0") -> Iterator[Card]:
    """Be on the machine's network for a while, with a card that is up and has no address.

    Raises:
        NotBootable: there is no such card.
    """
    home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        place = os.open(NAMESPACES / namespace, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as missing:
        os.close(home)
        raise NotBootable(f"there is no network namespace {namespace}") from missing
    try:
        _enter(place)
        # Asked of the kernel: /sys would show the namespace that it was mounted in.
        if all(name != known for _, known in socket.if_nameindex()):
            raise NotBootable(f"there is no card {name} in {namespace}")
        _ip(f"address flush dev {name}", f"link set {name} up")
        _wait_for_carrier(name)
        try:
            yield Card(name)
        finally:
            _ip(f"address flush dev {name}", f"link set {name} down")
    finally:
        _enter(home)
        os.close(place)
        os.close(home)


def _wait_for_carrier(name: str) -> None:
    deadline = time.monotonic() + CARRIER_SECONDS
    while time.monotonic() < deadline:
        if "LOWER_UP" in run(["ip", "-oneline", "link", "show", name]):
            return
        time.sleep(0.1)
    raise NotBootable(f"{name}: no link", remedy="see whether its other end is plugged in and up")


def _ip(*lines: str) -> None:
    run(["ip", "-batch", "-"], stdin="".join(f"{line}\n" for line in lines))


def _enter(namespace: int) -> None:
    # os.setns is there only from Python 3.12 on.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "setns")
