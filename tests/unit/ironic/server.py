"""A server on this machine that answers as a test says, where a real Ironic never would."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from ingot.ironic.access import Access

ROOT = b'{"version": {"min_version": "1.1", "version": "1.115"}}'
Answer: TypeAlias = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


def response(content: bytes, status: str = "200 OK", headers: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n{headers}\r\n".encode() + content
    )


@asynccontextmanager
async def answering(answer: Answer, root: bytes = ROOT) -> AsyncIterator[tuple[Access, list[str]]]:
    """Serve; return where, and the lines of all requests so far, with their API version."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                first, *headers = head.split("\r\n")
                known = {
                    name.lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in headers)
                }
                await reader.readexactly(int(known.get("content-length", "0")))
                line = first.removesuffix(" HTTP/1.1")
                asked.append(f"{line} @{known['x-openstack-ironic-api-version']}")
                if line == "GET /v1":
                    writer.write(response(root))
                else:
                    await answer(line, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield Access(f"http://127.0.0.1:{port}"), asked
    finally:
        server.close()


def always(content: bytes, status: str = "200 OK") -> Answer:
    async def answer(line: str, writer: asyncio.StreamWriter) -> None:
        del line
        writer.write(response(content, status))

    return answer
