"""Asking a server on this node or a peer how it is, over HTTP, without starting anything."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

from ingot.onprem.model import Address
from ingot.onprem.seentime import answered

__all__ = ["LOOPBACK", "answers", "is_ready", "page", "status"]

OK = 200
PATIENCE = 1.0
HEAD_BYTES = 4096
LOOPBACK = "127.0.0.1"


async def status(host: str, port: int, path: str, *, tls: bool = False) -> int | None:
    """Return the status of an answer, or None where there was none in time."""
    try:
        return await answered(_status(host, port, path, tls=tls), within=PATIENCE)
    except (OSError, TimeoutError, ValueError):
        return None


async def page(host: Address | str, port: int, path: str) -> str:
    """Return what was answered with 200; nothing where that was not so in time."""
    try:
        return await answered(_page(str(host), port, path), within=PATIENCE)
    except (OSError, TimeoutError, ValueError):
        return ""


async def _status(host: str, port: int, path: str, *, tls: bool) -> int | None:
    async with _asked(host, port, path, tls=tls) as reader:
        return _code((await reader.readline()).decode("latin-1"))


async def _page(host: str, port: int, path: str) -> str:
    async with _asked(host, port, path) as reader:
        said = (await reader.read()).decode("utf-8", errors="replace")
        head, _, body = said.partition("\r\n\r\n")
        return body if _code(head) == OK else ""


@asynccontextmanager
async def _asked(
    host: str, port: int, path: str, *, tls: bool = False
) -> AsyncIterator[asyncio.StreamReader]:
    context = _trusting() if tls else None
    reader, writer = await asyncio.open_connection(host, port, ssl=context)
    try:
        named = f"[{host}]" if ":" in host else host
        head = f"GET {path} HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        yield reader
    finally:
        writer.transport.abort()


def _code(line: str) -> int | None:
    words = line.split()
    return int(words[1]) if len(words) > 1 and words[0].startswith("HTTP/") else None


async def is_ready(host: Address | str, port: int, path: str, *, tls: bool = False) -> bool:
    """Return whether a server answers with 200."""
    return await status(str(host), port, path, tls=tls) == OK


async def answers(port: int, path: str) -> bool:
    """Return whether a server of this node answers at all, whatever it says."""
    return await status(LOOPBACK, port, path) is not None


@cache
def _trusting() -> ssl.SSLContext:
    """Whether a server is well is no secret, and its certificate may be what is not."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
