"""One sign of life of a server that boots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from ipaddress import IPv6Address, ip_address
from typing import Final, NewType

__all__ = ["Mac", "Sign", "SignKind", "read_address", "read_mac"]

Mac = NewType("Mac", str)
"""A network card's address, in small letters with colons."""

_MAC: Final = re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}")


class SignKind(StrEnum):
    """What was seen."""

    DHCP = "dhcp"
    """It asked for an address."""
    BOOT_FILE = "boot file"
    """It fetched a boot loader, or a script for one."""
    KERNEL = "kernel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What was seen of whom, and when. Of who it was, at least one thing is known.

    Attributes:
        mac: its network card.
        address: its IP address, as Python writes it.
        transaction: dnsmasq's number of an exchange. Over IPv6, the card and the address are in
            different lines of one.
    """

    kind: SignKind
    at: datetime
    mac: Mac | None = None
    address: str | None = None
    transaction: str | None = None


def read_mac(text: str) -> Mac | None:
    """Return a network card's address, if this is one."""
    small = text.lower()
    return Mac(small) if _MAC.fullmatch(small) else None


def read_address(text: str) -> str | None:
    """Return an IP address in the one way to write it, if this is one."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(address)
