"""The frames by which it is asked who has an address, and those by which it is answered.

ARP (RFC 826) asks with no address of the asker (RFC 5227), so nobody learns one by being asked.
Neighbour discovery (RFC 4861) asks with one, so that the answer goes to the asker alone: an answer
to all would tell them what only the holder's own announcement should.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from tests.onprem_site.plan import Address

ETHERTYPE_ARP = 0x0806
ETHERTYPE_V6 = 0x86DD
BROADCAST = b"\xff" * 6

ARP = struct.Struct("!HHBBH6s4s6s4s")
ARP_REQUEST, ARP_REPLY = 1, 2

ICMPV6 = 58
SOLICITATION, ADVERTISEMENT = 135, 136
SOLICITED = 0x40000000
OPTION_SOURCE, OPTION_TARGET = 1, 2

ETHERNET_BYTES = 14
V6_BYTES = 40


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody says that an address is theirs.

    Attributes:
        address: the address.
        mac: whose it is, by what they say.
        asked_for: whether it is an answer, to the one who hears it.
    """

    address: Address
    mac: str
    asked_for: bool


def question(target: Address, *, mac: str, source: IPv6Address | None) -> bytes:
    """Return the frame that asks who has an address.

    Args:
        target: the address.
        mac: the asker's.
        source: the asker's address, needed to ask for one of IPv6.
    """
    if isinstance(target, IPv4Address):
        return _arp(target, _packed(mac))
    assert source is not None, "the asker has no IPv6 address"
    return _solicitation(target, _packed(mac), source)


def claim(frame: bytes, *, mac: str) -> Claim | None:
    """Return what a frame says about who has an address, to whoever has that MAC."""
    if len(frame) < ETHERNET_BYTES:
        return None
    kind = int.from_bytes(frame[12:14], "big")
    to_us = frame[:6] == _packed(mac)
    if kind == ETHERTYPE_ARP:
        return _arp_claim(frame, to_us=to_us)
    if kind == ETHERTYPE_V6:
        return _v6_claim(frame)
    return None


def _arp(target: IPv4Address, mac: bytes) -> bytes:
    body = ARP.pack(1, 0x0800, 6, 4, ARP_REQUEST, mac, bytes(4), bytes(6), target.packed)
    return BROADCAST + mac + ETHERTYPE_ARP.to_bytes(2, "big") + body


def _arp_claim(frame: bytes, *, to_us: bool) -> Claim | None:
    if len(frame) < ETHERNET_BYTES + ARP.size:
        return None
    *_, operation, sender, sender_ip, _, target_ip = ARP.unpack_from(frame, ETHERNET_BYTES)
    address = IPv4Address(sender_ip)
    if operation == ARP_REPLY and to_us:
        return Claim(address, _shown(sender), asked_for=True)
    if sender_ip == target_ip:
        return Claim(address, _shown(sender), asked_for=False)
    return None


def _solicitation(target: IPv6Address, mac: bytes, source: IPv6Address) -> bytes:
    low = target.packed[-3:]
    group = IPv6Address("ff02::1:ff00:0").packed[:-3] + low
    body = bytes([SOLICITATION, 0, 0, 0]) + bytes(4) + target.packed
    body += bytes([OPTION_SOURCE, 1]) + mac
    checksum = _checksum(source.packed + group + struct.pack("!II", len(body), ICMPV6) + body)
    body = body[:2] + checksum.to_bytes(2, "big") + body[4:]
    header = struct.pack("!IHBB", 6 << 28, len(body), ICMPV6, 255) + source.packed + group
    return b"\x33\x33" + group[-4:] + mac + ETHERTYPE_V6.to_bytes(2, "big") + header + body


def _v6_claim(frame: bytes) -> Claim | None:
    packet = frame[ETHERNET_BYTES:]
    if len(packet) < V6_BYTES + 24 or packet[6] != ICMPV6 or packet[V6_BYTES] != ADVERTISEMENT:
        return None
    flags = int.from_bytes(packet[V6_BYTES + 4 : V6_BYTES + 8], "big")
    address = IPv6Address(packet[V6_BYTES + 8 : V6_BYTES + 24])
    option = packet[V6_BYTES + 24 : V6_BYTES + 32]
    named = len(option) == 8 and option[0] == OPTION_TARGET
    mac = option[2:] if named else frame[6:12]
    return Claim(address, _shown(mac), asked_for=bool(flags & SOLICITED))


def _checksum(data: bytes) -> int:
    total = sum(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def _packed(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def _shown(mac: bytes) -> str:
    return mac.hex(":")
