"""The control socket: lines of JSON from whoever may open the lab's folder, each answered by one.

A thread for each connection. What is too long, or comes too slowly, ends its connection alone.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ingot.lab.control import socket_address
from ingot.lab.messages import MAX_REQUEST, Answer, Failure

__all__ = ["ControlServer"]

IDLE_SECONDS = 30.0
"""How long a connection may be silent."""

MAX_CONNECTIONS = 64
"""Of commands at once; the rest waits its turn."""

_LOG = logging.getLogger(__name__)


class ControlServer:
    """Listens on a socket until it is stopped."""

    def __init__(self, path: Path, answer: Callable[[bytes], bytes]) -> None:
        self._path = path
        self._answer = answer
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._listener: socket.socket | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen; a request is answered as soon as this returns."""
        self._path.unlink(missing_ok=True)  # Left by one that was killed.
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with socket_address(self._path) as address:
                listener.bind(address)
            self._path.chmod(0o600)  # Before it listens, nobody can have connected.
            listener.listen(MAX_CONNECTIONS)
        except OSError:
            listener.close()
            raise
        self._listener = listener
        self._thread = threading.Thread(
            target=self._accept, args=(listener,), name="control", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Listen no more; conversations that have begun end with the process."""
        if self._listener is None or self._thread is None:
            return
        self._path.unlink(missing_ok=True)
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        self._listener = None

    def _accept(self, listener: socket.socket) -> None:
        while True:
            self._places.acquire()
            try:
                connection, _ = listener.accept()
            except OSError:
                self._places.release()
                return  # It was stopped.
            threading.Thread(
                target=self._converse, args=(connection,), name="control-talk", daemon=True
            ).start()

    def _converse(self, connection: socket.socket) -> None:
        # Whoever asks may go away at any moment, or say nothing.
        with suppress(OSError), connection, connection.makefile("rb") as lines:
            connection.settimeout(IDLE_SECONDS)
            while line := lines.readline(MAX_REQUEST + 1):
                if len(line) > MAX_REQUEST:
                    connection.sendall(_too_long())
                    break
                connection.sendall(self._answer(line))
        self._places.release()


def _too_long() -> bytes:
    failure = Failure(what=f"a request has more than {MAX_REQUEST} bytes")
    return Answer(error=failure).model_dump_json().encode() + b"\n"
