"""Requests that are kept waiting on purpose, and how they are let go.

A hanging BMC keeps a thread for each request it does not answer. Such a thread must notice that its
client has left, that the fault was cleared, and that the lab is stopped, and cost nothing until
then; so it sleeps in one `poll` on the connection and on a descriptor that wakes it.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections.abc import Callable

__all__ = ["ClientLeft", "Holds"]

_GONE = select.POLLRDHUP | select.POLLHUP | select.POLLERR


class ClientLeft(Exception):  # noqa: N818 - it says what happened
    """Nobody waits for the answer any more, or none is to be given: close the connection."""


class Holds:
    """Those of one BMC; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bells: set[int] = set()
        self._closed = False

    def keep(
        self, connection: socket.socket, seconds: float | None, while_true: Callable[[], bool]
    ) -> None:
        """Return after some time, or when a condition has ended that is looked at on each `ring`.

        Raises:
            ClientLeft: the client has left, or the BMC is stopped.
        """
        until = None if seconds is None else time.monotonic() + seconds
        bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        poll.register(connection, _GONE)
        with self._lock:
            self._bells.add(bell)
        try:
            while while_true():
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return
                events = poll.poll(None if left is None else left * 1000)
                if self._closed or any(fd != bell for fd, _ in events):
                    raise ClientLeft
                if events:
                    os.eventfd_read(bell)
        finally:
            with self._lock:
                self._bells.discard(bell)
            os.close(bell)
        if self._closed:
            raise ClientLeft

    def ring(self) -> None:
        """Have every waiting request look at its condition."""
        with self._lock:
            for bell in self._bells:
                os.eventfd_write(bell, 1)

    def close(self) -> None:
        """Let everything go; nothing is held from now on."""
        self._closed = True
        self.ring()

    @property
    def count(self) -> int:
        """How many are waiting."""
        with self._lock:
            return len(self._bells)
