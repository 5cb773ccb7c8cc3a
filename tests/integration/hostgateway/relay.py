"""The API server of loopback, brought to the loopback of a namespace."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.integration.hostgateway.spaces import inside


@contextmanager
def relayed(space: str, port: int) -> Iterator[None]:
    """Let programs of a namespace reach a port of our own loopback by the same address."""
    listener = inside(space, lambda: socket.create_server(("127.0.0.1", port)))
    threading.Thread(target=_accept, args=(listener, port), daemon=True).start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _accept(listener: socket.socket, port: int) -> None:
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        try:
            far = socket.create_connection(("127.0.0.1", port), timeout=10)
        except OSError:
            near.close()
            continue
        far.settimeout(None)
        for one, other in ((near, far), (far, near)):
            threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for one in (source, sink):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
    source.close()
