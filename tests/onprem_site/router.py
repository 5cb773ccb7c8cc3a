"""A program that health checks and clients take for an ingress router.

Arguments: its name, certificate and key, and its ports, of which each does everything.
"""

from __future__ import annotations

import asyncio
import sys

from tests.onprem_site.service import Answer, Request, Service, Stream, tls_context


def main(name: str, certificate: str, key: str, *ports: str) -> None:
    """Serve until standard input ends."""

    def answer(request: Request) -> Answer:
        return Answer.of({"path": request.path, "server": name})

    async def stream(request: Request, stream: Stream) -> bool:
        if request.path != "/ticks":
            return False
        await stream.ticks()
        return True

    async def run() -> None:
        await Service(
            name=name,
            ports=[int(port) for port in ports],
            tls=tls_context(certificate, key),
            readiness=frozenset({"/healthz/ready"}),
            liveness=frozenset({"/healthz"}),
            answer=answer,
            stream=stream,
        ).run()

    asyncio.run(run())


if __name__ == "__main__":
    main(*sys.argv[1:])
