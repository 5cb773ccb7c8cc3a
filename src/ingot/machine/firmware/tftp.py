"""A TFTP client (RFC 1350, with block and file sizes by RFC 2347 to 2349)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Sequence
from typing import BinaryIO

__all__ = ["TftpError", "receive"]

PORT = 69
BLOCK_BYTES = 1428
"""What fits into an Ethernet frame behind IPv6 and some tunnel."""
CLASSIC_BLOCK_BYTES = 512
PATIENCE = (1.0, 2.0, 4.0, 8.0)
"""How long each packet is waited for before ours is sent again."""

_READ, _DATA, _ACK, _ERROR, _OPTIONS = 1, 3, 4, 5, 6
_PACKET = struct.Struct("!HH")


class TftpError(OSError):
    """A server refused, or stopped to answer."""


def receive(
    server: str,
    path: str,
    target: BinaryIO,
    on_progress: Callable[[int, int | None], None],
    *,
    port: int = PORT,
    patience: Sequence[float] = PATIENCE,
) -> int:
    """Receive a file; return its size.

    Args:
        server: its address.
        path: the file there.
        target: where it is written to.
        on_progress: told how much has come, of how much where the server says.
        port: where the server listens.
        patience: how long to wait for a packet, each time.

    Raises:
        TftpError: with what the server said, or that it said nothing.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        transfer = _Transfer(wire, (server, port), patience)
        return transfer.receive(path, target, on_progress)


class _Transfer:
    def __init__(
        self, wire: socket.socket, server: tuple[str, int], patience: Sequence[float]
    ) -> None:
        self._wire = wire
        self._server = server
        self._peer: tuple[str, int] | None = None
        self._patience = patience

    def receive(
        self, path: str, target: BinaryIO, on_progress: Callable[[int, int | None], None]
    ) -> int:
        options = b"blksize\0%d\0tsize\x000\0" % BLOCK_BYTES
        request = _READ.to_bytes(2, "big") + path.encode() + b"\0octet\0" + options
        kind, number, content = self._exchange(request, {(_OPTIONS, None), (_DATA, 1)})
        block_bytes, total = CLASSIC_BLOCK_BYTES, None
        if kind == _OPTIONS:
            granted = _granted(content)
            block_bytes = granted.get("blksize", CLASSIC_BLOCK_BYTES)
            total = granted.get("tsize")
            kind, number, content = self._exchange(_PACKET.pack(_ACK, 0), {(_DATA, 1)})
        size = 0
        while True:
            target.write(content)
            size += len(content)
            on_progress(size, total)
            acknowledged = _PACKET.pack(_ACK, number)
            if len(content) < block_bytes:
                self._send(acknowledged)
                return size
            kind, number, content = self._exchange(acknowledged, {(_DATA, (number + 1) & 0xFFFF)})

    def _exchange(
        self, packet: bytes, expected: set[tuple[int, int | None]]
    ) -> tuple[int, int, bytes]:
        """Send a packet, again and again, until one of the expected ones comes."""
        for seconds in self._patience:
            self._send(packet)
            self._wire.settimeout(seconds)
            try:
                while True:
                    kind, number, content = self._packet()
                    if (kind, number) in expected or (kind, None) in expected:
                        return kind, number, content
            except TimeoutError:
                continue
        raise TftpError(f"no answer within {sum(self._patience):.0f} seconds")

    def _send(self, packet: bytes) -> None:
        self._wire.sendto(packet, self._peer or self._server)

    def _packet(self) -> tuple[int, int, bytes]:
        while True:
            packet, peer = self._wire.recvfrom(65536)
            # The server chooses a port for the transfer; later packets from elsewhere are strays.
            if len(packet) < _PACKET.size or peer != (self._peer or (self._server[0], peer[1])):
                continue
            self._peer = peer
            kind, number = _PACKET.unpack_from(packet)
            content = packet[_PACKET.size :]
            if kind == _OPTIONS:
                content, number = packet[2:], 0
            if kind == _ERROR:
                words = content.split(b"\0", 1)[0].decode(errors="replace")
                raise TftpError(words or f"error {number}")
            return kind, number, content


def _granted(content: bytes) -> dict[str, int]:
    words = content.decode(errors="replace").split("\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    return {name.lower(): int(value) for name, value in pairs if value.isdecimal()}
