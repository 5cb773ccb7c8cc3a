"""The program that holds up the frames of a node, each for a time of its own, in both directions.

While it runs, its link is on the bridge in place of the node's. Frames may overtake each other, as
they do with netem's jitter. What is from or for the observer is not held up. Frames go with the
header that says what is left to the card to do, such as sums and cutting into pieces.

Arguments: the node's link, the one to be made, the most seconds, the observer's MAC, the seed.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count

from tests.onprem_site.promptness import run_before_others

SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 263, 15, 23
TUNSETIFF, IFF_TAP, IFF_NO_PI, IFF_VNET_HDR = 0x400454CA, 0x0002, 0x1000, 0x4000
HEADER_BYTES = 10
LARGEST_FRAME = 1 << 17
ROOM_BYTES = 4 << 20

Sending = Callable[[bytes], None]


def main(port: str, detour: str, seconds: str, prompt: str, seed: str) -> None:
    """Hold up frames until standard input ends."""
    chance = random.Random(seed)  # noqa: S311 - a delay is no secret
    observer = bytes.fromhex(prompt.replace(":", ""))
    wire, tap = _wire(port), _tap(detour)

    def to_node(frame: bytes) -> None:
        wire.send(frame)

    def from_node(frame: bytes) -> None:
        os.write(tap, frame)

    run_before_others()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    ways: tuple[tuple[socket.socket | int, Sending], ...] = ((wire, from_node), (tap, to_node))
    waiting: list[tuple[float, int, Sending, bytes]] = []
    numbers = count()
    while True:
        until = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        readable, _, _ = select.select([wire, tap, sys.stdin], [], [], until)
        if sys.stdin in readable:
            return
        for source, passed in ways:
            if source in readable:
                frame = _read(source)
                macs = frame[HEADER_BYTES : HEADER_BYTES + 12]
                held = 0 if observer in (macs[:6], macs[6:]) else chance.uniform(0, float(seconds))
                heappush(waiting, (time.monotonic() + held, next(numbers), passed, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, send, frame = heappop(waiting)
            with suppress(OSError):  # A link that is down loses what is sent.
                send(frame)


def _read(source: socket.socket | int) -> bytes:
    try:
        if isinstance(source, int):
            return os.read(source, LARGEST_FRAME)
        return source.recv(LARGEST_FRAME)
    except OSError:
        return b""


def _wire(port: str) -> socket.socket:
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    wire.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    wire.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM_BYTES)
    wire.bind((port, 0x0003))
    return wire


def _tap(name: str) -> int:
    tap = os.open("/dev/net/tun", os.O_RDWR)
    how = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), how))
    return tap


if __name__ == "__main__":
    main(*sys.argv[1:])
