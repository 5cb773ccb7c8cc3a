"""The server: TLS, limits of time, size and number, and a log of who could not even greet.

A connection is accepted first and shaken by TLS then, in our own hands: so a node that does not
take our certificate, because its clock is off, leaves a line with its address.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Final

from ingot.configserver.answering import Desk
from ingot.configserver.limits import Allowance, subject
from ingot.configserver.message import HEAD_BYTES, Refused, read_request, refusal
from ingot.errors import ExitCode, IngotError

__all__ = ["Door", "UnusableCertificate", "tls_of"]

log = logging.getLogger(__name__)

SECONDS: Final = 10.0
"""To shake hands, to ask, and to take the answer, each. A User-Mode Linux under load needs two."""

AT_ONCE: Final = 256
AT_ONCE_EACH: Final = 32
"""From one address; behind a balancer all nodes come from one, and each is here for a moment."""


class UnusableCertificate(IngotError):  # noqa: N818 - it names what was seen
    """Certificate and key cannot be served with."""

    exit_code = ExitCode.USAGE


def tls_of(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return what is served with.

    Raises:
        UnusableCertificate: the files are not there, or no pair.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise UnusableCertificate(
            f"{certificate} and {key} cannot be served with: {error}",
            remedy="put a certificate and its own key there, both as PEM",
        ) from error
    return context


@dataclass(frozen=True, slots=True)
class Door:
    """Where nodes knock.

    Attributes:
        desk: who answers.
        tls: what is served with.
        seconds: how long each step of a request may take.
    """

    desk: Desk
    tls: ssl.SSLContext
    seconds: float = SECONDS
    _inside: Counter[str] = field(default_factory=Counter)
    _complaints: Allowance = field(default_factory=lambda: Allowance(3, 60.0))

    @asynccontextmanager
    async def served(self, host: str = "", port: int = 0) -> AsyncIterator[int]:
        """Serve until the end of the block, on all addresses unless told; yields the port."""
        server = await asyncio.start_server(self._enter, host or None, port, limit=HEAD_BYTES)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await server.wait_closed()

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        named = writer.get_extra_info("peername")
        peer = str(named[0]) if named else "nobody"
        who = subject(peer)
        if self._inside.total() >= AT_ONCE or self._inside[who] >= AT_ONCE_EACH:
            self._complain(peer, "too many connections at once")
            writer.transport.abort()
            return
        self._inside[who] += 1
        try:
            if await self._greeted(writer, peer):
                await self._serve(reader, writer, peer)
        finally:
            self._inside[who] -= 1
            if not self._inside[who]:
                del self._inside[who]
            with suppress(ConnectionError):
                writer.close()

    async def _greeted(self, writer: asyncio.StreamWriter, peer: str) -> bool:
        try:
            await writer.start_tls(self.tls, ssl_handshake_timeout=self.seconds)
        except ssl.SSLError as error:
            self._complain(peer, f"TLS failed: {error.reason or error}{_hint(error)}")
        except (OSError, EOFError, TimeoutError) as error:
            self._complain(peer, f"TLS was broken off: {str(error) or type(error).__name__}")
        else:
            return True
        return False

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str
    ) -> None:
        with suppress(OSError, EOFError, TimeoutError):
            answer = await self._answered(reader, peer)
            async with asyncio.timeout(self.seconds):
                writer.write(answer)
                await writer.drain()

    async def _answered(self, reader: asyncio.StreamReader, peer: str) -> bytes:
        try:
            async with asyncio.timeout(self.seconds):
                request = await read_request(reader, peer)
        except TimeoutError:
            late = Refused(HTTPStatus.REQUEST_TIMEOUT, f"it took longer than {self.seconds:g} s")
            return refusal(late).wire()
        except Refused as refused:
            self._complain(peer, refused.why)
            return refusal(refused).wire()
        try:
            answer = await self.desk.answer(request)
        except Exception:  # one request fails, not the server
            log.exception("%s could not be answered", peer)
            failed = Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "the server's log says why")
            return refusal(failed).wire()
        return answer.wire(head_only=request.method == "HEAD")

    def _complain(self, peer: str, what: str) -> None:
        """Write down what came from an address, but only a few times."""
        if not self._complaints.wait(subject(peer), now=time.monotonic()):
            log.warning("%s: %s", peer, what)


def _hint(error: ssl.SSLError) -> str:
    """Return what a node means that refuses our certificate."""
    reason = error.reason or ""
    if "ALERT" not in reason:
        return ""
    return "; it refuses our certificate: its clock may be off, or its pointer config another's"
