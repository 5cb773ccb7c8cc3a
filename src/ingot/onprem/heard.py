"""Listening to VRRP on the wire, and reading what is heard.

A raw socket hears every advert that reaches this node, ours and those to everybody once it has
joined their group. For IPv4 the kernel hands over the IP header as well, for IPv6 it does not, and
says by control messages what was in it.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import ExitStack
from ipaddress import IPv4Address, IPv6Address

from ingot.onprem.model import Address, Family
from ingot.onprem.vrid import HeardAdvert

__all__ = ["drain", "listen", "open_ear", "read_advert"]

PROTOCOL = 112
GROUPS = {Family.IPV4: "224.0.0.18", Family.IPV6: "ff02::12"}
"""RFC 5798, where routers that do not speak unicast advertise."""

ADVERTISEMENT = 1
HEADER = 8
SIZES = {Family.IPV4: 4, Family.IPV6: 16}
LARGEST = 2048
CONTROL_ROOM = 64
"""Bytes for control messages: one `in6_pktinfo` of 20 bytes and its header."""


def read_advert(payload: bytes, source: Address, destination: Address) -> HeardAdvert | None:
    """Return what a VRRP packet says, or None where it is not an advert (RFC 3768, RFC 5798)."""
    family = Family(source.version)
    size = SIZES[family]
    if len(payload) < HEADER:
        return None
    kind, router_id, priority, count = payload[0], *payload[1:4]
    version = kind >> 4
    addresses = payload[HEADER : HEADER + count * size]
    if kind & 0x0F != ADVERTISEMENT or version not in {2, 3} or len(addresses) < count * size:
        return None
    make = IPv4Address if family is Family.IPV4 else IPv6Address
    vips = tuple(make(addresses[at : at + size]) for at in range(0, count * size, size))
    return HeardAdvert(router_id, source, destination, version, priority, vips)


async def listen(interface: str, family: Family) -> AsyncIterator[HeardAdvert]:
    """Tell every advert that is heard on a network card, until the caller has enough.

    Raises:
        PermissionError: raw sockets need CAP_NET_RAW.
    """
    loop = asyncio.get_running_loop()
    with ExitStack() as closing:
        ear = closing.enter_context(open_ear(interface, family))
        arrived = asyncio.Event()
        loop.add_reader(ear, arrived.set)
        closing.callback(loop.remove_reader, ear)
        while True:
            await arrived.wait()
            arrived.clear()
            for advert in drain(ear, family):
                yield advert


def open_ear(interface: str, family: Family) -> socket.socket:
    """Return a socket that hears adverts on a network card, and does not wait for them.

    Raises:
        OSError: there is no such card, or raw sockets are not allowed.
    """
    inet = socket.AF_INET if family is Family.IPV4 else socket.AF_INET6
    ear = socket.socket(inet, socket.SOCK_RAW | socket.SOCK_NONBLOCK, PROTOCOL)
    try:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        number = socket.if_nametoindex(interface)
        group = socket.inet_pton(inet, GROUPS[family])
        if family is Family.IPV4:
            join = struct.pack("=4s4si", group, bytes(4), number)
            ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, join)
        else:
            join = struct.pack("=16si", group, number)
            ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, join)
            ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
    except BaseException:
        ear.close()
        raise
    return ear


def drain(ear: socket.socket, family: Family) -> list[HeardAdvert]:
    """Return all adverts that have arrived at an ear since it was last asked."""
    heard: list[HeardAdvert] = []
    while True:
        try:
            data, control, _flags, sender = ear.recvmsg(LARGEST, CONTROL_ROOM)
        except BlockingIOError:
            return heard
        if family is Family.IPV4:
            advert = _read_ipv4(data)
        else:
            advert = _read_ipv6(data, control, str(sender[0]))
        if advert is not None:
            heard.append(advert)


def _read_ipv4(packet: bytes) -> HeardAdvert | None:
    length = (packet[0] & 0x0F) * 4
    source, destination = IPv4Address(packet[12:16]), IPv4Address(packet[16:20])
    return read_advert(packet[length:], source, destination)


def _read_ipv6(
    payload: bytes, control: list[tuple[int, int, bytes]], sender: str
) -> HeardAdvert | None:
    source = IPv6Address(sender.partition("%")[0])
    for level, kind, value in control:
        if level == socket.IPPROTO_IPV6 and kind == socket.IPV6_PKTINFO:
            return read_advert(payload, source, IPv6Address(value[:16]))
    return None
