"""Which network card is on the provisioning network.

By its MAC address where that is known, since names of cards differ from machine to machine; else by
the address that it carries.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

from ingot.errors import ExitCode, IngotError
from ingot.metal3.pod.settings import Address, Settings
from ingot.process import run

__all__ = ["NoInterfaceError", "await_interface", "found"]

SECONDS: Final = 120.0
"""How long a card has to come up; after that kubelet starts the whole container again."""
EVERY: Final = 0.5


class NoInterfaceError(IngotError):
    """No card is the one on the provisioning network."""

    exit_code = ExitCode.INFRASTRUCTURE


def found(text: str, *, mac: str | None, address: Address) -> str | None:
    """Return the card's name, from what `ip -j address` says.

    Args:
        text: what it says.
        mac: the card's MAC address, if that is known.
        address: what it carries otherwise.
    """
    links = json.loads(text)
    if mac is not None:
        # A bond or a bridge has the address of one of its cards, and is what has addresses.
        cards = [one for one in links if str(one.get("address", "")).lower() == mac]
        free = [one for one in cards if "master" not in one]
        return next((str(one["ifname"]) for one in free or cards), None)
    for one in links:
        carried = {ip_address(info["local"]) for info in one["addr_info"] if "local" in info}
        if address in carried:
            return str(one["ifname"])
    return None


def await_interface(
    settings: Settings,
    *,
    look: Callable[[], str] = lambda: run(["ip", "-j", "address", "show"]),
    within: float = SECONDS,
) -> str:
    """Return the card's name as soon as there is one; "" where there is no such network.

    Raises:
        NoInterfaceError: there was none in time.
    """
    if not settings.has_network:
        return ""
    deadline = time.monotonic() + within
    while True:
        name = found(look(), mac=settings.interface_mac, address=settings.provisioning_ip)
        if name is not None:
            return name
        if time.monotonic() > deadline:
            raise NoInterfaceError(_missing(settings, within), remedy=_REMEDY)
        time.sleep(EVERY)


_REMEDY: Final = "connect this machine to the provisioning network, or correct the settings"


def _missing(settings: Settings, within: float) -> str:
    what = (
        f"has the MAC address {settings.interface_mac}"
        if settings.interface_mac
        else f"carries {settings.provisioning_ip}"
    )
    return f"no network card {what}, and none came within {within:.0f} s"
