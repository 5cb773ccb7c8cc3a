"""Who answers DHCP on a network: asked as the machines that boot there, and nothing is taken.

An offer that nobody accepts is forgotten by its server. Answers are read from the wire, below IP:
a server may well have an address that this machine would not take packets from, and only there its
MAC is seen.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

from ingot.dhcp.message import NOBODY, Kind, Malformed, Message, Option

__all__ = ["DhcpServer", "offer_in", "servers_on"]

CLIENT_PORT: Final = 68
SERVER_PORT: Final = 67
EVERYBODY: Final = "255.255.255.255"
TRIES: Final = 3
WAIT_SECONDS: Final = 1.5
"""After each try. dnsmasq and its like first ping what they are about to offer, for three seconds;
what was asked with the first try is then answered during the last."""

IPV4: Final = 0x0800
UDP: Final = 17
LEAST_HEADER: Final = 28
"""Bytes of an IP and a UDP header."""

ASKED_AS: Final = {
    int(Option.VENDOR_CLASS): b"PXEClient:Arch:00007:UNDI:003016",
    int(Option.ARCHITECTURE): (7).to_bytes(2, "big"),
    int(Option.WANTED): bytes((Option.NETMASK, Option.SERVER, Option.BOOT_FILE)),
}
"""As UEFI's network boot asks: some servers answer to nobody else."""


@dataclass(frozen=True, slots=True)
class DhcpServer:
    """Somebody who hands out addresses.

    Attributes:
        address: its own, as it says.
        mac: of the card, or of the relay, that its answer came from.
    """

    address: IPv4Address
    mac: str


def servers_on(
    card: str, macs: Sequence[str], *, tries: int = TRIES, wait: float = WAIT_SECONDS
) -> tuple[DhcpServer, ...]:
    """Return who answers on a card's network, in the order of their addresses.

    Args:
        card: the network device; it is up.
        macs: whom to ask for, since a server may answer to those it knows alone. Somebody whom
            nobody knows is asked for as well.
        tries: how often.
        wait: how long each time, in seconds; it ends sooner when somebody has answered.

    Raises:
        OSError: the card cannot be used.
    """
    asking = {_bytes(mac): secrets.randbits(32) for mac in (*macs, _stranger())}
    found: set[DhcpServer] = set()
    with _listening(card) as ear, _speaking(card) as mouth:
        for _ in range(tries):
            for mac, transaction in asking.items():
                mouth.sendto(_discover(mac, transaction), (EVERYBODY, SERVER_PORT))
            for packet, sender in _heard(ear, until=time.monotonic() + wait):
                offer = offer_in(packet)
                if offer is not None and asking.get(offer.mac) == offer.transaction:
                    found.add(DhcpServer(_server(offer, packet), sender))
            if found:
                break
    return tuple(sorted(found, key=lambda one: (one.address, one.mac)))


def offer_in(packet: bytes) -> Message | None:
    """Return the offer that an IP packet carries, if it is one."""
    if len(packet) < LEAST_HEADER or packet[0] >> 4 != 4 or packet[9] != UDP:  # noqa: PLR2004 - IPv4
        return None
    at = (packet[0] & 0xF) * 4
    if int.from_bytes(packet[at + 2 : at + 4], "big") != CLIENT_PORT:
        return None
    try:
        message = Message.decode(packet[at + 8 :])
    except Malformed:
        return None
    return message if message.reply and message.kind is Kind.OFFER else None


def _discover(mac: bytes, transaction: int) -> bytes:
    options = {int(Option.KIND): bytes((Kind.DISCOVER,)), **ASKED_AS}
    return Message(reply=False, transaction=transaction, mac=mac, options=options).encode()


def _server(offer: Message, packet: bytes) -> IPv4Address:
    """Return who made an offer: by its own word, or else by where it came from."""
    named = next(iter(offer.addresses(Option.SERVER)), NOBODY)
    return named if named != NOBODY else IPv4Address(packet[12:16])


def _heard(ear: socket.socket, *, until: float) -> Iterator[tuple[bytes, str]]:
    while (left := until - time.monotonic()) > 0:
        ear.settimeout(left)
        try:
            packet, sender = ear.recvfrom(4096)
        except TimeoutError:
            return
        yield packet, sender[4].hex(":")


def _listening(card: str) -> socket.socket:
    # Without the link's header, which is not the same on all links.
    ear = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(IPV4))
    try:
        ear.bind((card, IPV4))
    except OSError:
        ear.close()
        raise
    return ear


def _speaking(card: str) -> socket.socket:
    """Return what questions go out by; from any port, as answers go to the client's anyway."""
    mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        mouth.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, card.encode())
        mouth.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    except OSError:
        mouth.close()
        raise
    return mouth


def _bytes(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def _stranger() -> str:
    """Return a MAC that nobody has: one of those that everybody may make up."""
    return ":".join(f"{octet:02x}" for octet in (0x02, *secrets.token_bytes(5)))
