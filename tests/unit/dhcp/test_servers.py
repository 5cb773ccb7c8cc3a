"""What on a wire is an offer of a DHCP server."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from ingot.dhcp.message import Kind, Message, Option
from ingot.dhcp.servers import offer_in

SERVER = IPv4Address("192.168.77.1")


def packet(
    *, kind: Kind = Kind.OFFER, reply: bool = True, port: int = 68, udp: int = 17, words: int = 5
) -> bytes:
    options = {int(Option.KIND): bytes((kind,)), int(Option.SERVER): SERVER.packed}
    message = Message(reply=reply, transaction=7, mac=b"\x02" + bytes(5), options=options)
    head = bytes((0x40 | words,)) + bytes(8) + bytes((udp,)) + bytes(2) + SERVER.packed + bytes(4)
    ports = (67).to_bytes(2, "big") + port.to_bytes(2, "big") + bytes(4)
    return head + bytes((words - 5) * 4) + ports + message.encode()


@pytest.mark.parametrize("words", [5, 6])
def test_an_offer_to_a_client_is_one(words: int) -> None:
    offer = offer_in(packet(words=words))
    assert offer is not None
    assert offer.addresses(Option.SERVER) == (SERVER,)


@pytest.mark.parametrize(
    "other",
    [
        b"",
        packet()[:40],
        b"\x60" + packet()[1:],
        packet(udp=6),
        packet(port=67),
        packet(reply=False),
        packet(kind=Kind.ACK),
    ],
    ids=["nothing", "cut off", "IPv6", "TCP", "to a server", "a question", "acknowledgement"],
)
def test_anything_else_is_none(other: bytes) -> None:
    assert offer_in(other) is None
