"""A DHCP message on the wire, and the options that a boot reads from it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from ipaddress import IPv4Address

__all__ = ["NOBODY", "Kind", "Malformed", "Message", "Option"]

NOBODY = IPv4Address(0)
COOKIE = b"\x63\x82\x53\x63"
LEAST_BYTES = 300
"""As BOOTP had it; there are relays that drop what is shorter."""
BROADCAST_FLAG = 0x8000
ETHERNET = 1
_HEADER = struct.Struct("!BBBBIHH4s4s4s4s16s64s128s")
_PAD, _END = 0, 255


class Malformed(ValueError):  # noqa: N818 - it says what a packet is
    """Bytes that are no DHCP message."""


class Kind(IntEnum):
    """What a message is for."""

    DISCOVER = 1
    OFFER = 2
    REQUEST = 3
    DECLINE = 4
    ACK = 5
    NAK = 6
    RELEASE = 7
    INFORM = 8


class Option(IntEnum):
    """The options that are written or read here."""

    NETMASK = 1
    ROUTER = 3
    DNS = 6
    HOST_NAME = 12
    DOMAIN = 15
    ROOT_PATH = 17
    VENDOR = 43
    REQUESTED_ADDRESS = 50
    LEASE_SECONDS = 51
    OVERLOAD = 52
    KIND = 53
    SERVER = 54
    WANTED = 55
    MESSAGE = 56
    LARGEST_MESSAGE = 57
    VENDOR_CLASS = 60
    TFTP_SERVER = 66
    BOOT_FILE = 67
    USER_CLASS = 77
    ARCHITECTURE = 93
    UNDI = 94
    UUID = 97
    IPXE = 175


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message.

    Attributes:
        reply: whether a server sent it.
        transaction: a number that question and answer share.
        mac: whom it is about.
        seconds: since the client began to ask.
        address: what the client is given.
        next_server: where the boot file is, by the old field of BOOTP.
        server_name: another old field.
        file: the boot file, by another.
        options: all others, by number, as they are on the wire.
    """

    reply: bool
    transaction: int
    mac: bytes
    seconds: int = 0
    address: IPv4Address = NOBODY
    next_server: IPv4Address = NOBODY
    server_name: bytes = b""
    file: bytes = b""
    options: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def kind(self) -> Kind | None:
        """What it is for, where it says so."""
        try:
            return Kind(self.options.get(Option.KIND, b"\0")[0])
        except (ValueError, IndexError):
            return None

    def addresses(self, option: Option) -> tuple[IPv4Address, ...]:
        """Return the addresses that an option lists."""
        raw = self.options.get(option, b"")
        return tuple(IPv4Address(raw[at : at + 4]) for at in range(0, len(raw) // 4 * 4, 4))

    def text(self, option: Option) -> str:
        """Return an option's text."""
        return _text(self.options.get(option, b""))

    @property
    def boot_file(self) -> str:
        """The name of the boot file, from wherever the server put it; empty for none."""
        return self.text(Option.BOOT_FILE) or _text(self.file)

    @property
    def boot_server(self) -> str:
        """Where the boot file is: an address, or rarely a name; empty where nobody says."""
        if self.next_server != NOBODY:
            return str(self.next_server)
        named = self.text(Option.TFTP_SERVER) or _text(self.server_name)
        return named or next(map(str, self.addresses(Option.SERVER)), "")

    def encode(self) -> bytes:
        """Return it as bytes; answers are asked for as broadcasts, having no address yet."""
        head = _HEADER.pack(
            2 if self.reply else 1, ETHERNET, len(self.mac), 0,
            self.transaction, self.seconds, BROADCAST_FLAG,
            NOBODY.packed, self.address.packed, self.next_server.packed, NOBODY.packed,
            self.mac, self.server_name, self.file,
        )  # fmt: skip
        options = b"".join(
            bytes((number, len(value))) + value for number, value in self.options.items()
        )
        return (head + COOKIE + options + bytes((_END,))).ljust(LEAST_BYTES, b"\0")

    @classmethod
    def decode(cls, packet: bytes) -> Message:
        """Read a message.

        Raises:
            Malformed: it is none.
        """
        body = packet[_HEADER.size :]
        if not body.startswith(COOKIE):
            raise Malformed("not a DHCP message")
        fields = _HEADER.unpack_from(packet)
        operation, kind, length, _hops, transaction, seconds, _flags = fields[:7]
        _client, address, next_server, _relay, mac, name, file = fields[7:]
        if kind != ETHERNET:
            raise Malformed("not for an Ethernet card")
        options: dict[int, bytes] = {}
        _read_into(options, body[len(COOKIE) :])
        overload = options.pop(Option.OVERLOAD, b"\0")[0]
        # The old fields may hold options instead, where those did not fit.
        for bit, more in ((1, file), (2, name)):
            if overload & bit:
                _read_into(options, more)
        return cls(
            reply=operation == 2,  # noqa: PLR2004 - BOOTREPLY
            transaction=transaction,
            seconds=seconds,
            mac=mac[:length],
            address=IPv4Address(address),
            next_server=IPv4Address(next_server),
            server_name=b"" if overload & 2 else name.rstrip(b"\0"),
            file=b"" if overload & 1 else file.rstrip(b"\0"),
            options=options,
        )


def _read_into(options: dict[int, bytes], raw: bytes) -> None:
    for number, value in _options(raw):
        # An option that is there twice is one that was too long for its length (RFC 3396).
        options[number] = options.get(number, b"") + value


def _options(raw: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(raw) and raw[at] != _END:
        if raw[at] == _PAD:
            at += 1
            continue
        value = raw[at + 2 : at + 2 + raw[at + 1]] if at + 1 < len(raw) else b""
        if at + 1 >= len(raw) or len(value) != raw[at + 1]:
            raise Malformed("an option goes beyond the message")
        yield raw[at], value
        at += 2 + len(value)


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode(errors="replace")
