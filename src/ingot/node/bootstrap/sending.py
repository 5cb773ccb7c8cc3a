"""How much of the node image each server has taken, as this machine's own TCP knows it.

The web server writes a request down when it has ended, and Ironic learns of the image only when all
of it is on the disk. The kernel counts for each connection the bytes that the other end has
acknowledged, and a server's agent writes a raw image to the disk as it comes, without keeping it.
So these bytes are written, but for the last few megabytes. `ss` tells them; it needs nothing from
the web server, and sees virtual media's hosts as well as those that boot by network.

Who is at the other end is told by the network card behind the address: the neighbour table has that
of the present moment, while an address that was found by inspection may be another's today. It is
used where a router stands between.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any

from ingot.onprem.model import Address
from ingot.process import CommandFailed, run

__all__ = [
    "Cards",
    "Connection",
    "cards_of",
    "connections_in",
    "neighbours_in",
    "read_shares",
    "shares",
]

IMAGE = Path("/run/ingot/media/disk.img")
PORT = 6180

_CONNECTION = re.compile(
    r"^\s*\d+\s+\d+\s+\S+:\d+\s+\[?(?P<peer>[0-9a-fA-F.:]+)(?:%[^\s\]]+)?\]?:\d+\s"
    r".*\bbytes_acked:(?P<taken>\d+)\b"
)


@dataclass(frozen=True, slots=True)
class Connection:
    """One of our web server's: who is at the other end, and how many bytes it has taken."""

    peer: Address
    taken: int


@dataclass(frozen=True, slots=True)
class Cards:
    """How a server is known on the network.

    Attributes:
        macs: of its network cards, in small letters.
        addresses: that they had when it was inspected.
    """

    macs: frozenset[str]
    addresses: frozenset[Address]


def connections_in(text: str) -> tuple[Connection, ...]:
    """Return the connections in what `ss -HtniO state established` says."""
    found = map(_CONNECTION.match, text.splitlines())
    return tuple(Connection(_plain(one["peer"]), int(one["taken"])) for one in found if one)


def neighbours_in(text: str) -> dict[Address, str]:
    """Return the network card behind each address in what `ip -j neigh` says."""
    return {
        ip_address(one["dst"]): str(one["lladdr"]).lower()
        for one in json.loads(text or "[]")
        if "lladdr" in one
    }


def cards_of(host: Mapping[str, Any]) -> Cards:
    """Return how a BareMetalHost is known on the network."""
    nics = host.get("status", {}).get("hardware", {}).get("nics", ())
    macs = {host.get("spec", {}).get("bootMACAddress"), *(nic.get("mac") for nic in nics)}
    addresses = {nic["ip"] for nic in nics if nic.get("ip")}
    return Cards(
        frozenset(mac.lower() for mac in macs if mac),
        frozenset(_plain(address) for address in addresses),
    )


def shares(
    hosts: Mapping[str, Cards],
    connections: Iterable[Connection],
    neighbours: Mapping[Address, str],
    *,
    size: int,
) -> dict[str, float]:
    """Return which share of the image each server has taken; those that take none are left out.

    Args:
        hosts: those that are being written to, by name.
        connections: the web server's.
        neighbours: the network card behind each address.
        size: the image's, in bytes.
    """
    taken: dict[str, int] = {}
    for one in connections:
        name = _whose(one.peer, hosts, neighbours.get(one.peer))
        if name is not None:
            taken[name] = max(taken.get(name, 0), one.taken)
    return {name: min(1.0, count / size) for name, count in taken.items() if count and size}


def _whose(peer: Address, hosts: Mapping[str, Cards], mac: str | None) -> str | None:
    if mac is not None:
        return next((name for name, cards in hosts.items() if mac in cards.macs), None)
    return next((name for name, cards in hosts.items() if peer in cards.addresses), None)


def _plain(address: str) -> Address:
    """Return an address as IPv4 where it is one that is written as IPv6."""
    found = ip_address(address)
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def read_shares(
    hosts: Mapping[str, Cards], *, image: Path = IMAGE, port: int = PORT
) -> dict[str, float]:
    """Return which share of the image each server has taken by now.

    It is for people to look at, so whatever keeps it from being known leaves it unknown.

    Args:
        hosts: those that are being written to, by name.
        image: the image.
        port: the web server's.
    """
    if not hosts:
        return {}
    try:
        size = image.stat().st_size
        open_now = run(["ss", "-HtniO", "state", "established", f"( sport = :{port} )"])
        neighbours = neighbours_in(run(["ip", "-j", "neigh", "show"]))
    except (OSError, CommandFailed, ValueError):
        return {}
    return shares(hosts, connections_in(open_now), neighbours, size=size)
