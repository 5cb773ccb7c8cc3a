"""A small HTTP server that misbehaves when it is told to; each program that serves here is one.

It takes TLS and plain HTTP on the same port, by the first byte a client sends: health checks come
by TLS as in a cluster, and an observer that asks a hundred times a second may save itself that.
Every answer names the server in the header X-Served-By.

It is told what to do by lines on standard input, and says "ok". Standard input's end is its own.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import parse_qs, urlsplit

TLS_HANDSHAKE = 0x16
TICK_SECONDS = 0.1


class Mode(Enum):
    """How a server behaves."""

    READY = "ready"
    UNREADY = "unready"
    """Serves everything, and says that it is not ready: as one does that is about to end."""
    SICK = "sick"
    """Says that it is not even alive."""
    HANG = "hang"
    """Takes connections and says nothing, also on those that it had."""
    REFUSE = "refuse"
    """Listens no more, and has reset what it had: as one that has died."""


@dataclass(frozen=True)
class Request:
    """What a client asks for."""

    method: str
    path: str
    query: Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """What it gets."""

    status: int
    body: bytes
    kind: str = "text/plain"

    @classmethod
    def of(cls, content: object, status: int = 200) -> Answer:
        return cls(status, json.dumps(content).encode(), "application/json")


@dataclass
class Service:
    """A server.

    Attributes:
        name: who it says it is.
        ports: where it listens, on all addresses.
        tls: how it does TLS; None for not at all.
        readiness: the paths that tell whether it is ready.
        liveness: the paths that tell whether it is alive.
        answer: answers everything else.
        stream: does so by writing until the client has enough; tells whether it did.
    """

    name: str
    ports: Sequence[int]
    tls: ssl.SSLContext | None
    readiness: frozenset[str]
    liveness: frozenset[str]
    answer: Callable[[Request], Answer]
    stream: Callable[[Request, Stream], Awaitable[bool]] | None = None
    mode: Mode = Mode.READY
    _listening: list[asyncio.Task[None]] = field(default_factory=list)
    _open: dict[asyncio.Task[None], asyncio.StreamWriter | None] = field(default_factory=dict)
    _answering: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Serve until standard input ends."""
        await self.become(self.mode)
        lines = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        _say("ready")
        blips: set[asyncio.Task[None]] = set()
        while words := (await lines.readline()).decode().split():
            if words[0] == "connections":
                _say(str(len(self._open)))
                continue
            before = self.mode
            await self.become(Mode(words[0]))
            if len(words) > 1:
                blips = {asyncio.create_task(self._later(before, float(words[1])))}
            else:
                blips.clear()
            _say("ok")

    async def become(self, mode: Mode) -> None:
        """Behave that way from now on; it is so when this returns."""
        self.mode = mode
        if mode in (Mode.REFUSE, Mode.HANG):
            self._answering.clear()
        else:
            self._answering.set()
        if mode is Mode.REFUSE:
            await _cancelled(self._listening)
            for task, writer in list(self._open.items()):
                if writer is not None:
                    writer.transport.abort()
                task.cancel()
        elif not self._listening:
            self._listening += [asyncio.create_task(self._listen(port)) for port in self.ports]
            await asyncio.sleep(0)  # They listen after their first step.

    async def _later(self, mode: Mode, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.become(mode)

    async def _listen(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        with socket.create_server(
            ("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024
        ) as listener:
            listener.settimeout(0)
            while True:
                client, _ = await loop.sock_accept(listener)
                task = asyncio.create_task(self._talk(client))
                self._open[task] = None
                task.add_done_callback(self._open.pop)

    async def _talk(self, client: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            first = await _first_byte(client)
            transport, _ = await loop.connect_accepted_socket(
                lambda: protocol, client, ssl=self.tls if first == TLS_HANDSHAKE else None
            )
        except OSError:
            client.close()
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        with suppress(OSError, asyncio.IncompleteReadError, ValueError):
            while await self._exchange(reader, writer):
                pass
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; tell whether there may be another on this connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        await self._answering.wait()
        first, *headers = head.split("\r\n")
        method, target, version = first.split(" ")
        url = urlsplit(target)
        query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        request = Request(method, url.path, query)
        if self.stream and await self.stream(request, Stream(self.name, writer, self._answering)):
            return False
        answer = self._health(request) or self.answer(request)
        stays = version == "HTTP/1.1" and "connection: close" not in (h.lower() for h in headers)
        lines = (
            f"HTTP/1.1 {answer.status} {'OK' if answer.status == 200 else 'Error'}",
            f"X-Served-By: {self.name}",
            f"Content-Type: {answer.kind}",
            f"Content-Length: {len(answer.body)}",
            f"Connection: {'keep-alive' if stays else 'close'}",
        )
        body = b"" if request.method == "HEAD" else answer.body
        writer.write("\r\n".join((*lines, "", "")).encode() + body)
        await writer.drain()
        return stays

    def _health(self, request: Request) -> Answer | None:
        if request.path not in self.readiness | self.liveness:
            return None
        well = self.mode is Mode.READY or (
            self.mode is Mode.UNREADY and request.path in self.liveness
        )
        return Answer(200, b"ok") if well else Answer(500, b"not ok")


@dataclass(frozen=True)
class Stream:
    """An answer that goes on."""

    name: str
    writer: asyncio.StreamWriter
    going: asyncio.Event

    def begin(self, kind: str = "application/json") -> None:
        """Say that an answer comes, bit by bit."""
        lines = (
            "HTTP/1.1 200 OK",
            f"X-Served-By: {self.name}",
            f"Content-Type: {kind}",
            "Transfer-Encoding: chunked",
        )
        self.writer.write("\r\n".join((*lines, "", "")).encode())

    async def line(self, content: object) -> None:
        """Write a bit of it, unless the server hangs."""
        await self.going.wait()
        bit = json.dumps(content).encode() + b"\n"
        self.writer.write(f"{len(bit):x}\r\n".encode() + bit + b"\r\n")
        await self.writer.drain()

    async def end(self) -> None:
        """Say that this was all."""
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    async def ticks(self) -> None:
        """Count until the client goes: a connection that lives long."""
        self.begin()
        number = 0
        while not self.writer.is_closing():
            await self.line({"tick": number, "server": self.name})
            number += 1
            await asyncio.sleep(TICK_SECONDS)


def tls_context(certificate: str, key: str) -> ssl.SSLContext | None:
    """Return how to do TLS with a certificate; not at all without."""
    if not certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


async def _first_byte(client: socket.socket) -> int:
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    loop.add_reader(client, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(client)
    peeked = client.recv(1, socket.MSG_PEEK)
    if not peeked:
        raise ConnectionResetError
    return peeked[0]


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    tasks.clear()


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()
