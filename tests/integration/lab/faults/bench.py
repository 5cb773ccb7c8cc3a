"""A bridge with one card on it, whose other side is in the hands of a test.

The card is there either by the link its firmware boots by, one end of a veth pair, or by the one
its kernel uses, a tap device. What is sent and received is Ethernet, so both work the same way.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.site import CLONE_NEWNET

PORT = "card"
"""The port of the card, whichever of its links is there."""
LINKS = {"firmware": "cardf", "kernel": "card"}

LAB = "192.0.2.1"
HOST = "192.0.2.2"
LAB_MAC = bytes.fromhex("020000000001")
HOST_MAC = bytes.fromhex("020000000002")
UDP_PORT = 4000
DHCP_PORT = 67
END = b"end"
SECONDS = 20.0

TUNSETIFF = 0x400454CA
IFF_TAP_NO_PI = 0x1002
SO_RCVBUFFORCE = 33


@contextmanager
def entered(namespace: str) -> Iterator[None]:
    """Have the current thread, and what it starts, on the network of a namespace."""
    with (
        Path("/proc/thread-self/ns/net").open() as own,
        Path("/run/netns", namespace).open() as other,
    ):
        _enter(other.fileno())
        try:
            yield
        finally:
            _enter(own.fileno())


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


def spoken(command: str) -> str:
    """Return what a command says in the current namespace."""
    return subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Bench:
    """The bridge, and both ends of the wire."""

    namespace: str
    link: str
    card: int
    lab: socket.socket
    """Bound to the port that the card sends to."""
    dhcp: socket.socket

    def send_from_host(self, content: bytes, port: int = UDP_PORT) -> None:
        os.write(self.card, _frame(content, port))

    def send_to_host(self, content: bytes) -> None:
        self.lab.sendto(content, (HOST, UDP_PORT))

    def arrived_at_lab(self, *, end: bytes = END) -> list[bytes]:
        """Return what came from the host, up to a certain packet."""
        return list(self._until(end, self.lab.fileno(), lambda: self.lab.recv(4096)))

    def arrived_at_host(self, *, end: bytes = END) -> list[bytes]:
        """Return what came to the host, up to a certain packet."""

        def receive() -> bytes | None:
            frame = os.read(self.card, 4096)
            is_ours = frame[:6] == HOST_MAC and frame[12:14] == b"\x08\x00" and frame[23] == 17
            return frame[42 : 14 + int.from_bytes(frame[16:18])] if is_ours else None

        return list(self._until(end, self.card, receive))

    @staticmethod
    def _until(end: bytes, descriptor: int, receive: Callable[[], bytes | None]) -> Iterator[bytes]:
        deadline = time.monotonic() + SECONDS
        while True:
            ready, _, _ = select.select([descriptor], [], [], deadline - time.monotonic())
            assert ready, f"{end!r} has not arrived"
            content = receive()
            if content == end:
                return
            if content is not None:
                yield content

    def state(self) -> tuple[str, ...]:
        """Return everything that a fault could have changed."""
        commands = (
            "nft list ruleset",
            "tc qdisc show",
            f"tc filter show dev {self.link} ingress",
        )
        with entered(self.namespace):
            links = sorted(name for _, name in socket.if_nameindex())
            return *(spoken(command) for command in commands), " ".join(links)


@contextmanager
def opened_bench(kind: str) -> Iterator[Bench]:
    """Make a bench; nothing is left of it afterwards."""
    lab, host = (f"ingot-test-{side}-{os.getpid()}" for side in ("lab", "host"))
    link = LINKS[kind]
    with ExitStack() as stack:
        for name in (lab, host):
            ip("netns", "add", name)
            stack.callback(ip, "netns", "delete", name)
        for name in (lab, host):
            with entered(name):
                for scope in ("all", "default"):  # Nothing but what a test sends is to be counted.
                    spoken(f"sysctl -qw net.ipv6.conf.{scope}.disable_ipv6=1")
        with entered(lab):
            ip("link", "add", "name", "lan", "address", LAB_MAC.hex(":"), "type", "bridge")
            ip("link", "set", "dev", "lan", "type", "bridge", "mcast_snooping", "0")
            ip("address", "add", f"{LAB}/24", "dev", "lan")
            card = _tap(link) if kind == "kernel" else _veth(link, host)
            stack.callback(os.close, card)
            ip("link", "set", "dev", link, "master", "lan", "up")
            ip("link", "set", "dev", "lan", "up")
            ip("neighbour", "add", HOST, "lladdr", HOST_MAC.hex(":"), "dev", "lan")
            sockets = [_listening(port) for port in (UDP_PORT, DHCP_PORT)]
        for one in sockets:
            stack.callback(one.close)
        yield Bench(lab, link, card, *sockets)


def _tap(link: str) -> int:
    card = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(card, TUNSETIFF, struct.pack("16sH22x", link.encode(), IFF_TAP_NO_PI))
    return card


def _veth(link: str, host: str) -> int:
    ip("link", "add", "name", link, "type", "veth", "peer", "name", "net0", "netns", host)
    with entered(host):
        ip("link", "set", "dev", "net0", "address", HOST_MAC.hex(":"), "up")
        card = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        card.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        card.bind(("net0", 0))
        return card.detach()


def _listening(port: int) -> socket.socket:
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    one.bind(("", port))
    return one


def _frame(content: bytes, port: int) -> bytes:
    """Return an Ethernet frame of the host with a UDP packet in it, without a UDP checksum."""
    udp = struct.pack(">HHHH", UDP_PORT, port, 8 + len(content), 0) + content
    addresses = socket.inet_aton(HOST) + socket.inet_aton(LAB)
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + addresses
    total = sum(int.from_bytes(header[at : at + 2]) for at in range(0, len(header), 2))
    checksum = -total % 0xFFFF
    header = header[:10] + checksum.to_bytes(2) + header[12:]
    return LAB_MAC + HOST_MAC + b"\x08\x00" + header + udp
