"""What a client on a lab's network asks: names, the time, an address."""

from __future__ import annotations

import socket
import struct
from ipaddress import IPv4Address

from ingot.machine import namespaces

ANSWER_SECONDS = 5.0
NTP_EPOCH = 2_208_988_800
"""Seconds from 1900, where NTP counts from, to 1970 (RFC 5905)."""


def resolve(name: str, server: IPv4Address, *, namespace: str | None = None) -> str | None:
    """Return the address that a name server has for a name; None where it has none."""
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    question = labels + b"\0" + struct.pack("!HH", 1, 1)
    sent = struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + question
    answer = _ask(sent, (str(server), 53), namespace)
    if not struct.unpack("!H", answer[6:8])[0]:
        return None
    return socket.inet_ntoa(answer[-4:])


def network_time(server: IPv4Address, *, namespace: str | None = None) -> tuple[int, float]:
    """Return the stratum of an NTP server, and the time it has."""
    answer = _ask(b"\x23" + bytes(47), (str(server), 123), namespace)
    seconds, fraction = struct.unpack("!II", answer[40:48])
    return answer[1], seconds - NTP_EPOCH + fraction / (1 << 32)


def _ask(sent: bytes, where: tuple[str, int], namespace: str | None) -> bytes:
    def ask() -> bytes:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(ANSWER_SECONDS)
            client.sendto(sent, where)
            return client.recv(4096)

    return namespaces.inside(namespace, ask) if namespace else ask()
