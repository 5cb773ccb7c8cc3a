"""Which network card is on the provisioning network.

By its name or its MAC address where that is known, since names of cards differ from machine to
machine; else by the network that it is on, or by the address that it carries.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address, ip_interface
from typing import Any, Final

from ingot.errors import ExitCode, IngotError
from ingot.metal3.pod.settings import Settings
from ingot.process import run

__all__ = ["NoInterfaceError", "await_interface", "found", "missing"]

SECONDS: Final = 120.0
"""How long a card has to come up; after that kubelet starts the whole container again."""
EVERY: Final = 0.5


class NoInterfaceError(IngotError):
    """No card is the one on the provisioning network."""

    exit_code = ExitCode.INFRASTRUCTURE


def found(text: str, settings: Settings) -> str | None:
    """Return the card's name, from what `ip -j address` says.

    Args:
        text: what it says.
        settings: what is known of the card.
    """
    links = json.loads(text)
    if settings.interface:
        named = [one for one in links if one.get("ifname") == settings.interface]
        return settings.interface if named else None
    macs = _macs(settings)
    if macs:
        # A bond or a bridge has the address of one of its cards, and is what has addresses.
        cards = [one for one in links if str(one.get("address", "")).lower() in macs]
        free = [one for one in cards if "master" not in one]
        return next((str(one["ifname"]) for one in free or cards), None)
    for one in links:
        if any(_leads_there(info, settings) for info in one["addr_info"] if "local" in info):
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
        name = found(look(), settings)
        if name is not None:
            return name
        if time.monotonic() > deadline:
            raise missing(settings, f"none came within {within:.0f} s")
        time.sleep(EVERY)


def missing(settings: Settings, since: str) -> NoInterfaceError:
    """Return the error that no card is the one that was looked for."""
    return NoInterfaceError(
        f"no network card {' or '.join(_sought(settings))}, and {since}",
        remedy="connect this machine to the provisioning network, or correct the settings",
    )


def _macs(settings: Settings) -> frozenset[str]:
    own = (settings.interface_mac,) if settings.interface_mac else ()
    return frozenset((*own, *settings.interface_macs))


def _leads_there(info: Mapping[str, Any], settings: Settings) -> bool:
    """Tell whether an address is the one that is served at, or one of its network."""
    address = ip_address(info["local"])
    if address == settings.provisioning_ip:
        return True
    if settings.kept_in is None:
        return False
    if address in settings.kept_in:
        return True
    around = ip_interface(f"{address}/{info.get('prefixlen', address.max_prefixlen)}").network
    return settings.provisioning_ip in around


def _sought(settings: Settings) -> Iterator[str]:
    if settings.interface:
        yield f"is called {settings.interface}"
    elif macs := _macs(settings):
        yield f"has the MAC address {', '.join(sorted(macs))}"
    else:
        yield f"carries {settings.provisioning_ip}"
        if settings.kept_in is not None:
            yield f"is in {settings.kept_in}"
