"""A watch of a kind of which there is nothing, at a server that is not ready for it at first.

No real API server can be had to say so at a given moment, so that this one is played.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient, Selection
from ingot.kube.sharedwatch import SharedWatch
from tests.integration.kube.widgets import WIDGETS, awaited, until

LISTING = {"metadata": {"resourceVersion": "1"}, "items": []}
EARLY = {"kind": "Status", "message": "storage is (re)initializing", "code": 429}


class Young:
    """A server whose store is not ready for the first watch, and then has nothing to tell."""

    def __init__(self) -> None:
        self.refuses = True
        self.heard: list[str] = []
        self.silent = asyncio.Event()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if "watch=true" not in head:
                self._whole(writer, 200, LISTING)
            elif self.refuses:
                self.heard.append("refused")
                self._whole(writer, 429, EARLY)
            else:
                self.heard.append("opened")
                writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                await writer.drain()
                await self.silent.wait()
        writer.close()

    def _whole(self, writer: asyncio.StreamWriter, code: int, body: object) -> None:
        content = json.dumps(body).encode()
        head = f"HTTP/1.1 {code} Said\r\nContent-Length: {len(content)}\r\nConnection: close\r\n"
        writer.write(head.encode() + b"\r\n" + content)


@asynccontextmanager
async def served(young: Young, folder: Path) -> AsyncIterator[KubeClient]:
    server = await asyncio.start_server(young.answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    path = folder / "kubeconfig"
    named = {"name": "young"}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "young",
        "contexts": [{**named, "context": {"cluster": "young", "user": "young"}}],
        "clusters": [{**named, "cluster": {"server": url}}],
        "users": [{**named, "user": {"token": "token"}}],
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    async with server, KubeClient(from_kubeconfig(path)) as client:
        yield client
        young.silent.set()


def test_it_is_well_as_soon_as_the_server_listens_to_it(tmp_path: Path) -> None:
    @awaited()
    async def story() -> None:
        young = Young()
        async with served(young, tmp_path) as client:
            watch = SharedWatch(client, WIDGETS, Selection())
            following = asyncio.create_task(watch.run())
            await until(lambda: watch.problem is not None)
            young.refuses = False
            await until(lambda: "opened" in young.heard)
            await until(lambda: watch.problem is None)
            assert watch.listings == 1
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    story()
