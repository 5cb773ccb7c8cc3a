"""The few pages that others look at: /metrics, /healthz and /readyz.

A dozen lines of HTTP are all that a probe needs; a framework would cost more memory than a hundred
hosts. A request has a second or two and a few kilobytes, and its connection ends with the answer.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from ingot.kube.metrics import Metrics

__all__ = ["Check", "Endpoints", "Health"]

Check = Callable[[], str]
"""Returns what is wrong, or an empty text."""

REQUEST_SECONDS = 5.0
REQUEST_BYTES = 16 * 1024

PLAIN: Final = "text/plain; charset=utf-8"
PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"
_WORDS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    500: "Internal Server Error",
}


@dataclass(slots=True)
class Health:
    """What is asked for by probes: live as long as all of the first, ready as long as all of both.

    Attributes:
        live: a failure means that only a restart helps.
        ready: a failure means that there is nothing to expect from it now.
    """

    live: dict[str, Check] = field(default_factory=dict)
    ready: dict[str, Check] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The pages of one program."""

    metrics: Metrics
    health: Health

    @asynccontextmanager
    async def served(
        self, host: str = "", port: int = 0, *, tls: ssl.SSLContext | None = None
    ) -> AsyncIterator[int]:
        """Serve until the end of the block, on all addresses unless told; yields the port."""
        server = await asyncio.start_server(
            self._serve, host or None, port, limit=REQUEST_BYTES, ssl=tls
        )
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(REQUEST_SECONDS):
                writer.write(self._answer(await _head(reader)))
                await writer.drain()
        with suppress(ConnectionError):
            writer.close()

    def _answer(self, head: bytes) -> bytes:
        words = head.split(b"\r\n", 1)[0].split()
        if len(words) < 2:  # noqa: PLR2004 - a method and a path
            return _response(400, "this is no HTTP request\n")
        method, target = words[0], words[1].partition(b"?")[0].decode(errors="replace")
        if method not in {b"GET", b"HEAD"}:
            return _response(405, "only GET and HEAD\n")
        whole = self._page(target)
        return whole if method == b"GET" else whole.split(b"\r\n\r\n", 1)[0] + b"\r\n\r\n"

    def _page(self, target: str) -> bytes:
        if target == "/metrics":
            return _response(200, self.metrics.text(), PROMETHEUS)
        if target == "/healthz":
            return _checked(self.health.live)
        if target == "/readyz":
            return _checked(self.health.live | self.health.ready)
        return _response(404, "there are /metrics, /healthz and /readyz\n")


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        return b""


def _checked(checks: Mapping[str, Check]) -> bytes:
    wrong = {name: what for name, check in checks.items() if (what := check())}
    lines = [
        f"[-]{name} failed: {wrong[name]}" if name in wrong else f"[+]{name} ok" for name in checks
    ]
    return _response(500 if wrong else 200, "\n".join([*lines, "failed" if wrong else "ok", ""]))


def _response(code: int, content: str | bytes, media_type: str = PLAIN) -> bytes:
    body = content.encode() if isinstance(content, str) else content
    head = (
        f"HTTP/1.1 {code} {_WORDS[code]}\r\n"
        f"Content-Type: {media_type}\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
