"""Who talks to whom, and as whom: servers that tell a client which address it has for them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.integration.hostgateway.spaces import inside

PORT = 8080
PATIENCE = 3.0


@contextmanager
def listening(space: str, port: int = PORT) -> Iterator[None]:
    """Tell everybody who connects which address they have; then return each line."""
    listener = inside(
        space,
        lambda: socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True),
    )
    threading.Thread(target=_accept, args=(listener,), daemon=True).start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _accept(listener: socket.socket) -> None:
    while True:
        try:
            connection, peer = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, peer[0]), daemon=True).start()


def _serve(connection: socket.socket, peer: str) -> None:
    with suppress(OSError), connection, connection.makefile("rwb", buffering=0) as stream:
        stream.write(peer.removeprefix("::ffff:").encode() + b"\n")
        for line in stream:
            stream.write(line)


class Talk:
    """One connection that lasts."""

    def __init__(self, space: str, address: str, port: int = PORT) -> None:
        self._socket = inside(space, lambda: socket.create_connection((address, port), PATIENCE))
        self._stream = self._socket.makefile("rwb", buffering=0)
        self.known_as = self._stream.readline().decode().strip()

    def says(self, words: str) -> str:
        self._stream.write(words.encode() + b"\n")
        return self._stream.readline().decode().strip()

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


def known_as(space: str, address: str, port: int = PORT) -> str | None:
    """Return which address somebody has for a server elsewhere; None if they do not reach it."""
    try:
        talk = Talk(space, address, port)
    except OSError:
        return None
    talk.close()
    return talk.known_as
