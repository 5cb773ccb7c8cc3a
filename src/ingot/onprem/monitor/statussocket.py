"""The monitor's own socket: whoever connects is told how things stand, as one line of JSON."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from ingot.errors import ExitCode
from ingot.onprem.problem import BadAnswerError, OnPremError

__all__ = ["SOCKET_NAME", "MonitorSilentError", "ask", "told_at"]

SOCKET_NAME = "monitor.sock"
PATIENCE = 3.0
MOST_BYTES = 1 << 20


class MonitorSilentError(OnPremError):
    """The monitor of this node does not answer."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"the monitor does not answer at {path}: {why}",
            remedy="see whether `ingot-node onprem` runs on this node, and ask as root",
        )


@asynccontextmanager
async def told_at(path: Path, status: Callable[[], Mapping[str, Any]]) -> AsyncIterator[None]:
    """Tell a status to whoever connects, until the end of the block."""

    async def tell(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            writer.write(json.dumps(status()).encode() + b"\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(tell, sock=_only_ours(path))
    try:
        yield
    finally:
        server.close()


def _only_ours(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    path.chmod(0o600)
    return made


def ask(path: Path) -> dict[str, Any]:
    """Return what the monitor of this node says.

    Raises:
        MonitorSilentError: it does not.
        BadAnswerError: what it says cannot be read.
    """
    said = b""
    try:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(PATIENCE)
            asking.connect(str(path))
            while len(said) < MOST_BYTES and (part := asking.recv(65536)):
                said += part
    except OSError as error:
        raise MonitorSilentError(path, error.strerror or str(error)) from error
    try:
        found: dict[str, Any] = json.loads(said)
    except ValueError as error:
        raise BadAnswerError("the monitor", said.decode(errors="replace")) from error
    return found
