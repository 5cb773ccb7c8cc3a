"""Names to addresses, by the DNS servers that DHCP gave.

The resolver of the C library would ask this host's servers, which a machine cannot reach.
"""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Sequence
from ipaddress import AddressValueError, IPv4Address

__all__ = ["NameUnknown", "address_of", "answer_of", "question_for"]

PORT = 53
PATIENCE = (1.0, 2.0, 4.0)
_HEADER = struct.Struct("!HHHHHH")
_RECORD = struct.Struct("!HHIH")
_RECURSE = 0x0100
_A, _INTERNET = 1, 1
_POINTER = 0xC0


class NameUnknown(OSError):  # noqa: N818 - it says what was seen
    """No server has an address for a name."""


def address_of(name: str, servers: Sequence[IPv4Address], domain: str = "") -> str:
    """Return the address of a name; an address is one of its own.

    Raises:
        NameUnknown: no server knows it, or none answers.
    """
    try:
        return str(IPv4Address(name))
    except AddressValueError:
        full = f"{name}.{domain}" if domain and "." not in name else name
    for server in servers:
        found = _ask(str(server), full)
        if found:
            return str(found)
    if not servers:
        raise NameUnknown(f"{name}: DHCP gave no DNS server to ask")
    raise NameUnknown(f"{full}: unknown to {', '.join(map(str, servers))}")


def _ask(server: str, name: str) -> IPv4Address | None:
    number = random.getrandbits(16)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.connect((server, PORT))
        for seconds in PATIENCE:
            wire.settimeout(seconds)
            try:
                wire.send(question_for(name, number))
                answer = wire.recv(4096)
            except OSError:
                continue
            if answer[:2] == number.to_bytes(2, "big"):
                return answer_of(answer)
    return None


def question_for(name: str, number: int) -> bytes:
    """Return a question for the IPv4 address of a name."""
    labels = b"".join(
        bytes((len(label),)) + label.encode() for label in name.rstrip(".").split(".")
    )
    return (
        _HEADER.pack(number, _RECURSE, 1, 0, 0, 0) + labels + struct.pack("!BHH", 0, _A, _INTERNET)
    )


def answer_of(packet: bytes) -> IPv4Address | None:
    """Return the first IPv4 address in an answer."""
    try:
        _, _, questions, answers, _, _ = _HEADER.unpack_from(packet)
        at = _HEADER.size
        for _ in range(questions):
            at = _after_name(packet, at) + 4
        for _ in range(answers):
            at = _after_name(packet, at)
            kind, network, _, length = _RECORD.unpack_from(packet, at)
            at += _RECORD.size
            if (kind, network, length) == (_A, _INTERNET, 4):
                return IPv4Address(packet[at : at + 4])
            at += length
    except (struct.error, IndexError, AddressValueError):
        return None
    return None


def _after_name(packet: bytes, at: int) -> int:
    while packet[at]:
        if packet[at] & _POINTER == _POINTER:
            return at + 2
        at += 1 + packet[at]
    return at + 1
