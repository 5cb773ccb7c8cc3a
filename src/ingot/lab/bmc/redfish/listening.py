"""The doors of all BMCs: one thread that takes connections, and one for each connection.

Shaking hands for TLS is left to the thread of the connection. A client that connects and says
nothing costs that one thread for some seconds, and nobody waits behind it.
"""

from __future__ import annotations

import logging
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Address

from ingot.errors import ExitCode, IngotError
from ingot.lab.bmc.certificates import Credentials
from ingot.lab.bmc.redfish.exchange import Exchange, Site
from ingot.lab.bmc.redfish.refusing import Refusing

__all__ = ["CannotListen", "Door", "Doorkeeper"]

_LOG = logging.getLogger(__name__)

HANDSHAKE_SECONDS = 10
MOST_CONNECTIONS = 64
"""For each BMC; real ones have fewer. More are closed at once, so that threads stay few."""
STOP_SECONDS = 5


class CannotListen(IngotError):  # noqa: N818 - it says what was seen
    """The address of a BMC cannot be listened on."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, host: str, address: str, error: OSError) -> None:
        super().__init__(
            f"the BMC of {host} cannot listen on {address}: {error.strerror}",
            remedy="see that the lab's out-of-band network is up and nothing else uses the port",
        )


class Door:
    """Where one BMC listens, and who has come in."""

    def __init__(
        self, site: Site, address: tuple[IPv4Address, int], refusing: Refusing, files: Credentials
    ) -> None:
        self.site = site
        self.refusing = refusing
        self.listener: socket.socket | None = None
        self._address = (str(address[0]), address[1])
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.load_cert_chain(files.certificate, files.key)
        self._tls.set_alpn_protocols(["http/1.1"])

    def open(self) -> socket.socket:
        """Begin to listen.

        Raises:
            CannotListen: the address is not there, or taken.
        """
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(self._address)
            listener.listen(64)
        except OSError as e:
            listener.close()
            raise CannotListen(self.site.host, f"{self._address[0]}:{self._address[1]}", e) from e
        listener.settimeout(0)
        self._address = listener.getsockname()  # a port of 0 is decided once
        self.listener = listener
        return listener

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._address[1]

    def close(self) -> None:
        """Listen no more, and end what is going on: a client would notice nothing otherwise."""
        if self.listener is not None:
            self.listener.close()
            self.listener = None
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    # Not the method of TLS, which takes the connection from under its thread.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def take(self) -> None:
        """Let a client in."""
        if self.listener is None:
            return
        try:
            plain, client = self.listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        if len(self._connections) >= MOST_CONNECTIONS:
            plain.close()
            return
        plain.settimeout(HANDSHAKE_SECONDS)
        with self._lock:
            self._connections.add(plain)
        name = f"{self.site.host} redfish"
        threading.Thread(target=self._serve, args=(plain, client), name=name, daemon=True).start()

    def wait_empty(self, until: float) -> None:
        """Wait for those inside to leave, but not longer than until then."""
        while self._connections and time.monotonic() < until:
            time.sleep(0.01)

    def _serve(self, plain: socket.socket, client: tuple[str, int]) -> None:
        connection = plain
        try:
            connection = self._secure(plain)
            connection.do_handshake()
            Exchange(connection, client, self.site)
        except OSError as e:
            # Clients that do not trust the certificate, time out or vanish: all theirs to see.
            _LOG.debug("%s: %s: %s", self.site.host, client[0], e)
        finally:
            with self._lock:
                self._connections -= {plain, connection}
            connection.close()

    def _secure(self, plain: socket.socket) -> ssl.SSLSocket:
        plain.getpeername()  # fails for a client that has left: wrapping would lose the socket
        # At no time is a connection unknown to `close`.
        with self._lock:
            connection = self._tls.wrap_socket(
                plain, server_side=True, do_handshake_on_connect=False
            )
            self._connections.discard(plain)
            self._connections.add(connection)
            return connection


class Doorkeeper:
    """The thread that watches all doors; it sleeps while nobody comes."""

    def __init__(self, doors: Sequence[Door]) -> None:
        self._doors = doors
        self._selector = selectors.DefaultSelector()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._ringing = threading.Lock()  # nobody rings a bell that is gone
        self._stopping = False
        self._thread = threading.Thread(target=self._watch, name="redfish doors", daemon=True)

    def start(self) -> None:
        """Open all doors.

        Raises:
            CannotListen: one cannot be opened; none is then.
        """
        self._selector.register(self._bell, selectors.EVENT_READ, None)
        try:
            for door in self._doors:
                self._selector.register(door.open(), selectors.EVENT_READ, door)
        except CannotListen:
            self._stopping = True
            for door in self._doors:
                door.close()
            self._end()
            raise
        self._thread.start()

    def ring(self) -> None:
        """Have faults looked at, which have changed."""
        with self._ringing:
            if not self._stopping:
                os.eventfd_write(self._bell, 1)

    def stop(self) -> None:
        """Close all doors; nobody is inside when this returns, but who cannot be made to leave."""
        with self._ringing:
            self._stopping = True
            os.eventfd_write(self._bell, 1)
        self._thread.join(STOP_SECONDS)
        until = time.monotonic() + STOP_SECONDS
        for door in self._doors:
            door.close()
        for door in self._doors:
            door.wait_empty(until)
        self._end()

    def _end(self) -> None:
        self._selector.close()
        os.close(self._bell)

    def _watch(self) -> None:
        self._turn_away()
        while not self._stopping:
            dues = [door.refusing.due for door in self._doors if door.refusing.due is not None]
            patience = max(0.0, min(dues) - time.monotonic()) if dues else None
            for key, _ in self._selector.select(patience):
                if key.data is None:
                    os.eventfd_read(self._bell)
                else:
                    self._let_in(key.data)
            self._turn_away()

    def _let_in(self, door: Door) -> None:
        try:
            door.take()
        except (OSError, RuntimeError) as e:
            # Out of descriptors or threads: without a pause this would spin until one is free.
            _LOG.warning("%s: a connection was lost: %s", door.site.host, e)
            time.sleep(0.1)

    def _turn_away(self) -> None:
        now = time.monotonic()
        for door in self._doors:
            refuses = door.refusing.look(now)
            if refuses and door.listener is not None:
                self._selector.unregister(door.listener)
                door.close()
            elif not refuses and door.listener is None:
                try:
                    self._selector.register(door.open(), selectors.EVENT_READ, door)
                except CannotListen as e:
                    _LOG.warning("%s", e.what)
                    door.refusing.due = now + 1
