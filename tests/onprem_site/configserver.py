"""A program that a balancer takes for the server of machine configurations.

Arguments: its name, its port, and certificate and key.
"""

from __future__ import annotations

import asyncio
import sys

from tests.onprem_site.service import Answer, Request, Service, tls_context


def main(name: str, port: str, certificate: str = "", key: str = "") -> None:
    """Serve until standard input ends."""

    def answer(request: Request) -> Answer:
        role = request.path.removeprefix("/config/")
        if role in ("control-plane", "worker"):
            return Answer.of({"role": role, "server": name})
        return Answer(404, b"there is no such configuration")

    async def run() -> None:
        healthz = frozenset({"/healthz"})
        await Service(
            name=name,
            ports=[int(port)],
            tls=tls_context(certificate, key),
            readiness=healthz,
            liveness=frozenset(),
            answer=answer,
        ).run()

    asyncio.run(run())


if __name__ == "__main__":
    main(*sys.argv[1:])
