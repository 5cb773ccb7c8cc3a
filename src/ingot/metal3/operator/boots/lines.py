"""Lines of the boot servers' logs, read as signs. What cannot be read is no sign.

dnsmasq writes the time without a year and without a zone. The year is the one that is nearest; the
zone is UTC, which is what every container has that is not told otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, Required, TypedDict

from ingot.metal3.operator.boots.files import mac_in, part_of_boot
from ingot.metal3.operator.boots.sign import Mac, Sign, SignKind, read_address, read_mac

__all__ = ["dnsmasq_sign", "web_sign"]

_ENTRY: Final = re.compile(
    r"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) dnsmasq-(dhcp|tftp)\[\d+\]: (.*)", re.ASCII
)
_SENT: Final = re.compile(r"sent (.+) to (\S+)")
_BY_CLIENT: Final = frozenset({"DHCPDISCOVER", "DHCPREQUEST", "DHCPINFORM"})
_LEASED: Final = frozenset({"DHCPACK", "DHCPREPLY"})
_FETCHED: Final = frozenset({200, 206})


class _Seen(TypedDict, total=False):
    """A sign, but for its time."""

    kind: Required[SignKind]
    mac: Mac | None
    address: str | None
    transaction: str | None


def dnsmasq_sign(line: str, *, now: datetime) -> Sign | None:
    """Return what a line of dnsmasq's log shows.

    Args:
        line: with or without its end.
        now: the time at which it is read, by which its year is found.
    """
    entry = _ENTRY.fullmatch(line.rstrip())
    if entry is None:
        return None
    time, part, text = entry.groups()
    seen = _tftp(text) if part == "tftp" else _dhcp(text.split())
    at = _nearest(now, time) if seen else None  # only then: most lines are nothing, and it is slow
    return Sign(at=at, **seen) if seen and at else None


def web_sign(line: str) -> Sign | None:
    """Return what a line of the web server's log shows; its format is in `ingot.ironic.conf`."""
    try:
        entry = json.loads(line)
        at = datetime.fromtimestamp(entry["at"], UTC)
        address, path = read_address(entry["from"]), entry["path"]
        whole = entry["method"] == "GET" and entry["status"] in _FETCHED and entry["done"] == "OK"
        kind = part_of_boot(path) if whole else None
    except (ValueError, TypeError, KeyError, OverflowError, OSError, RecursionError):
        return None
    if kind is None or address is None:
        return None
    return Sign(kind=kind, at=at, mac=mac_in(path), address=address)


def _dhcp(words: Sequence[str]) -> _Seen | None:
    transaction = None
    if words and words[0].isdigit():
        transaction, *words = words
    if words[:3] == ["client", "MAC", "address:"] and len(words) > 3:  # noqa: PLR2004 - and itself
        card = read_mac(words[3])
        return _Seen(kind=SignKind.DHCP, mac=card, transaction=transaction) if card else None
    verb = words[0].partition("(")[0] if words else ""
    if verb not in _BY_CLIENT | _LEASED:
        return None
    about = words[1:3]
    mac = next((found for word in about if (found := read_mac(word))), None)
    # An address that is only asked for may be somebody else's.
    address = read_address(about[0]) if verb in _LEASED and about else None
    if mac is None and (address is None or transaction is None):
        return None
    return _Seen(kind=SignKind.DHCP, mac=mac, address=address, transaction=transaction)


def _tftp(text: str) -> _Seen | None:
    sent = _SENT.fullmatch(text)
    address = read_address(sent[2]) if sent else None
    if sent is None or address is None:
        return None
    # Whatever is fetched by TFTP is fetched to boot.
    kind = part_of_boot(sent[1]) or SignKind.BOOT_FILE
    return _Seen(kind=kind, mac=mac_in(sent[1]), address=address)


def _nearest(now: datetime, time: str) -> datetime | None:
    """Return a time without a year as the nearest one; None when there is no such time."""
    found: list[datetime] = []
    for year in (now.year - 1, now.year, now.year + 1):
        try:
            found.append(datetime.strptime(f"{year} {time} +0000", "%Y %b %d %H:%M:%S %z"))
        except ValueError:  # the 29th of February, or nonsense
            continue
    return min(found, key=lambda one: abs(one - now), default=None)
