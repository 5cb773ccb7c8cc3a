"""DNS questions and their answers, as much of them as tests need (RFC 1035)."""

from __future__ import annotations

import struct
from ipaddress import ip_address
from typing import NamedTuple

A, AAAA = 1, 28


class Answer(NamedTuple):
    """What a server said: its code, and the addresses."""

    code: int
    addresses: tuple[str, ...]


def question(name: str, kind: int) -> bytes:
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return struct.pack(">6H", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">2H", kind, 1)


def read_answer(packet: bytes) -> Answer:
    _id, flags, questions, count, _, _ = struct.unpack(">6H", packet[:12])
    at = 12
    for _ in range(questions):
        at = _after_name(packet, at) + 4
    found = []
    for _ in range(count):
        at = _after_name(packet, at)
        _kind, _class, _ttl, size = struct.unpack(">2HIH", packet[at : at + 10])
        found.append(str(ip_address(packet[at + 10 : at + 10 + size])))
        at += 10 + size
    return Answer(flags & 0x0F, tuple(found))


def _after_name(packet: bytes, at: int) -> int:
    while packet[at]:
        if packet[at] >= 0xC0:
            return at + 2
        at += packet[at] + 1
    return at + 1
