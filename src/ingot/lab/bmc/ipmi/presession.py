"""What a BMC answers to anyone, before a log-in: is it there, and what does it want to be told.

A client begins with these. Packets are read with care, as they may come from anywhere: what is not
understood is not answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from uuid import UUID

__all__ = ["IPMI_HEADER", "Ask", "answer_ping", "answer_presession", "checksum", "wire_guid"]

IPMI_HEADER: Final = b"\x06\x00\xff\x07"
"""Version 1.0 of RMCP, no sequence number, class IPMI (§13.1.3)."""

_ASF_HEADER: Final = b"\x06\x00\xff\x06"
_ASF_ENTERPRISE: Final = b"\x00\x00\x11\xbe"
_PING: Final = b"\x80"
_PING_LENGTH: Final = 12
_PONG: Final = 0x40

_APPLICATION: Final = 6
_GET_CHANNEL_AUTHENTICATION: Final = 0x38
_GET_CHANNEL_CIPHER_SUITES: Final = 0x54
_GET_SYSTEM_GUID: Final = 0x37
_LAN_CHANNEL: Final = 1

_ONLY_IPMI_20_BY_NAME: Final = bytes([_LAN_CHANNEL, 0x80, 0x04, 0x02, 0, 0, 0, 0])
"""Which kinds of log-in are taken (table 22-15)."""

_CIPHER_SUITES: Final = bytes([0xC0, 3, 0x01, 0x41, 0x81]) + bytes([0xC0, 17, 0x03, 0x44, 0x81])
"""Records of suites 3 (SHA-1) and 17 (SHA-256), each with AES (tables 22-18 and 22-19)."""

_SUITES_AT_A_TIME: Final = 16


@dataclass(frozen=True, slots=True)
class _Form:
    """How a packet of a version of IPMI is laid out (table 13-8).

    Between the first byte and the length there is who says it in which session: zeros, outside.
    """

    first: bytes
    length_at: int
    starts_at: int

    def packet(self, message: bytes) -> bytes:
        start = (IPMI_HEADER + self.first).ljust(self.length_at, b"\0")
        return start + len(message).to_bytes(self.starts_at - self.length_at, "little") + message


_FORMS: Final = MappingProxyType(
    {form.first: form for form in (_Form(b"\0", 13, 14), _Form(b"\6", 14, 16))}
)
_SHORTEST: Final = 7


@dataclass(frozen=True, slots=True)
class Ask:
    """A request outside of any session.

    Attributes:
        form: of the packet around it.
        responder: the address that was asked, with its unit.
        requester: who asks, with the number of the question.
    """

    form: _Form
    responder: tuple[int, int]
    requester: tuple[int, int]
    function: int
    command: int
    data: bytes

    @classmethod
    def parse(cls, packet: bytes) -> Ask | None:
        """Read a packet; None if it is not such a request."""
        form = _FORMS.get(packet[4:5]) if packet.startswith(IPMI_HEADER) else None
        if form is None or any(packet[5 : form.length_at]):
            return None
        length = int.from_bytes(packet[form.length_at : form.starts_at], "little")
        message = packet[form.starts_at :][:length]
        if len(message) < _SHORTEST or checksum(message[:3]) or checksum(message[3:]):
            return None
        responder, function_unit, _, requester, number, command = message[:6]
        return cls(
            form=form,
            responder=(responder, function_unit & 3),
            requester=(requester, number),
            function=function_unit >> 2,
            command=command,
            data=message[6:-1],
        )

    def answer(self, data: bytes) -> bytes:
        """Return the packet that answers it."""
        head = bytes([self.requester[0], (self.function + 1) << 2 | self.requester[1] & 3])
        number = self.requester[1] & ~3 | self.responder[1]
        body = bytes([self.responder[0], number, self.command]) + data
        message = head + bytes([checksum(head)]) + body + bytes([checksum(body)])
        return self.form.packet(message)


def checksum(data: bytes) -> int:
    """Return what makes the sum of bytes zero; so it is zero for bytes with their checksum."""
    return -sum(data) & 0xFF


def answer_presession(packet: bytes, *, guid: bytes) -> bytes | None:
    """Return the answer to a request that needs no session; None if there is none."""
    ask = Ask.parse(packet)
    if ask is None or ask.function != _APPLICATION:
        return None
    if ask.command == _GET_CHANNEL_AUTHENTICATION:
        return ask.answer(b"\0" + _ONLY_IPMI_20_BY_NAME)
    if ask.command == _GET_CHANNEL_CIPHER_SUITES:
        index = ask.data.ljust(3, b"\0")[2] & 0x3F
        begin = index * _SUITES_AT_A_TIME
        part = _CIPHER_SUITES[begin : begin + _SUITES_AT_A_TIME]
        return ask.answer(bytes([0, _LAN_CHANNEL]) + part)
    if ask.command == _GET_SYSTEM_GUID:
        return ask.answer(b"\0" + guid)
    return None


def wire_guid(uuid: str) -> bytes:
    """Return a UUID as IPMI has it: the last byte first (§20.8)."""
    return UUID(uuid).bytes[::-1]


def answer_ping(packet: bytes) -> bytes | None:
    """Return the answer to RMCP's "are you there" (§13.2.3); None if it is something else."""
    if len(packet) < _PING_LENGTH or not packet.startswith(_ASF_HEADER + _ASF_ENTERPRISE + _PING):
        return None
    supports_ipmi = bytes([0x81, 0])
    data = _ASF_ENTERPRISE + bytes(4) + supports_ipmi + bytes(6)
    return _ASF_HEADER + _ASF_ENTERPRISE + bytes([_PONG, packet[9], 0, len(data)]) + data
