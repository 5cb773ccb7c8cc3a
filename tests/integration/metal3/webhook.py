"""Our webhook's server, in a thread of its own."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ingot.metal3.webhooks.serving import Admission
from ingot.metal3.webhooks.tls import WatchedTls

LOOPBACK = "127.0.0.1"


@dataclass
class Webhook:
    """A server that runs for a block, with the certificate in a folder."""

    folder: Path
    port: int = 0
    seconds: float = 4.0

    @property
    def tls(self) -> WatchedTls:
        return WatchedTls(self.folder / "tls.crt", self.folder / "tls.key", every=0.02)

    @contextmanager
    def running(self) -> Iterator[None]:
        ready = threading.Event()
        stop = threading.Event()
        thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready, stop)))
        thread.start()
        try:
            assert ready.wait(30)
            yield
        finally:
            stop.set()
            thread.join(30)
            assert not thread.is_alive()

    async def _serve(self, ready: threading.Event, stop: threading.Event) -> None:
        async with Admission(self.tls, seconds=self.seconds).served(LOOPBACK, self.port) as port:
            self.port = port
            ready.set()
            await asyncio.to_thread(stop.wait)

    def certificate(self) -> str:
        return ssl.get_server_certificate((LOOPBACK, self.port), timeout=10)
