"""Ports of loopback for servers that listen only after a while."""

from __future__ import annotations

import os
import socket
from itertools import count

FIRST, LAST = 10_000, 32_767
"""Below those that Linux gives to whoever connects: such a port is taken by the next client."""

APART = 131
"""How many ports a process has before it comes to those of the next, which may run beside it."""

_numbers = count(os.getpid() * APART)


def free_port() -> int:
    """Return a port that nobody listens on, and that no other process returns at the same time."""
    while True:
        port = FIRST + next(_numbers) % (LAST - FIRST + 1)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
