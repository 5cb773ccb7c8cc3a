"""Answers the API server's AdmissionReviews, over TLS.

The kube runtime's pages take no content, so this is a server of its own, as small as that one. A
request is bounded in size and time, and only a few large ones are read at once. Its connection ends
with the answer: one that is kept open can be closed by one side just as the other begins to write,
and that request would be lost.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Final

from ingot.metal3.webhooks.configuration import PATH
from ingot.metal3.webhooks.review import UnreadableReview, answer
from ingot.metal3.webhooks.tls import WatchedTls

__all__ = ["PORT", "Admission"]

log = logging.getLogger(__name__)

PORT: Final = 9443
REQUEST_SECONDS: Final = 4.0
"""Less than the API server waits, so that it hears from us why."""

HEAD_BYTES: Final = 16 * 1024
BODY_BYTES: Final = 8 * 1024 * 1024
"""Two objects of the 3 MiB that the API server takes, and what is around them."""

SMALL_BYTES: Final = 256 * 1024
"""Up to here, as nearly all are, a request needs no room that others would have to leave first."""

AT_ONCE: Final = 4
"""Larger requests whose content is in memory; the others wait in their sockets."""

_WORDS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    411: "Length Required",
    413: "Content Too Large",
    500: "Internal Server Error",
}


class _Refused(Exception):  # noqa: N818 - an answer, not a mistake of ours
    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why


@dataclass(frozen=True, slots=True)
class Admission:
    """The server.

    Attributes:
        tls: what it serves with.
        seconds: how long a request may take.
    """

    tls: WatchedTls
    seconds: float = REQUEST_SECONDS
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    @asynccontextmanager
    async def served(self, host: str = "", port: int = 0) -> AsyncIterator[int]:
        """Serve until the end of the block, on all addresses unless told; yields the port.

        Raises:
            UnusableCertificate: there is none to begin with.
        """
        context = self.tls.context()
        server = await asyncio.start_server(
            self._serve,
            host or None,
            port,
            limit=HEAD_BYTES,
            ssl=context,
            ssl_handshake_timeout=self.seconds,
            ssl_shutdown_timeout=self.seconds,
        )
        watching = asyncio.create_task(self.tls.watch(), name="webhook certificate")
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            server.close()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            response = await self._response(reader)
            async with asyncio.timeout(self.seconds):
                writer.write(response)
                await writer.drain()
        with suppress(ConnectionError):
            writer.close()

    async def _response(self, reader: asyncio.StreamReader) -> bytes:
        try:
            async with asyncio.timeout(self.seconds):
                length = _length(await _head(reader))
                async with self._room if length > SMALL_BYTES else nullcontext():
                    return _reply(200, answer(await reader.readexactly(length)))
        except TimeoutError:
            return _refusal(408, f"the request took longer than {self.seconds} s")
        except _Refused as refused:
            return _refusal(refused.code, refused.why)
        except UnreadableReview as error:
            return _refusal(400, error.what)
        except (ConnectionError, asyncio.IncompleteReadError):
            raise
        except Exception:  # one request fails, not the server
            log.exception("a review could not be answered")
            return _refusal(500, "this request could not be judged; the operator's log says why")


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise _Refused(400, "the request's head is too long") from None


def _length(head: bytes) -> int:
    """Return how much content follows a head that asks for what there is."""
    first, *lines = head.decode("latin-1").split("\r\n")
    match first.split():
        case [method, target, _]:
            pass
        case _:
            raise _Refused(400, "this is no HTTP request")
    if target.partition("?")[0] != PATH:
        raise _Refused(404, f"there is {PATH}")
    if method != "POST":
        raise _Refused(405, "only POST")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
        raise _Refused(411, "send the content's length")
    if len(length) > len(str(BODY_BYTES)) or int(length) > BODY_BYTES:
        raise _Refused(413, f"the content may have {BODY_BYTES} bytes")
    return int(length)


def _refusal(code: int, why: str) -> bytes:
    return _reply(code, json.dumps({"error": why}).encode())


def _reply(code: int, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {code} {_WORDS[code]}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
