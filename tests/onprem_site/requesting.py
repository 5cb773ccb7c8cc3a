"""The program that asks a server again and again, and writes down who answered.

A question is asked when its time has come, whether or not the ones before were answered: a client
that waits would not see how long nobody serves. Each has a connection of its own. A line is a JSON
list: when it was asked and when that was over, in seconds of the monotonic clock; who answered, or
null; and what went wrong otherwise.

Arguments: the record, the address, the port, the path, questions a second, seconds after which one
is given up, and the authority's certificate to ask by TLS.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from tests.onprem_site.promptness import run_before_others

SERVED_BY = b"x-served-by:"
UNNAMED = "?"
"""A server that serves and does not say who it is: a real one."""


class NotServed(Exception):  # noqa: N818 - it says what happened
    """The answer is not one of a server that serves."""


class Client:
    """Asks one server.

    Attributes:
        lines: where is written what came of it.
    """

    def __init__(self, lines: IO[str], where: tuple[str, int], path: str, ca: str) -> None:
        self.lines = lines
        self._where = where
        self._tls = ssl.create_default_context(cafile=ca) if ca else None
        name = f"[{where[0]}]" if ":" in where[0] else where[0]
        self._asked = f"GET {path} HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode()

    async def ask(self, patience: float) -> None:
        """Ask once."""
        begun, server, wrong = time.monotonic(), None, ""
        try:
            async with asyncio.timeout(patience):
                server = await self._answer()
        except TimeoutError:
            wrong = "no answer in time"
        except (OSError, NotServed, asyncio.IncompleteReadError) as error:
            wrong = str(error) or type(error).__name__
        over = round(time.monotonic(), 5)
        self.lines.write(json.dumps([round(begun, 5), over, server, wrong]) + "\n")

    async def _answer(self) -> str:
        reader, writer = await asyncio.open_connection(*self._where, ssl=self._tls)
        try:
            writer.write(self._asked)
            head = await reader.readuntil(b"\r\n\r\n")
            status = head.split(b" ", 2)[1]
            if status != b"200":
                raise NotServed(f"status {status.decode()}")
            named = [line for line in head.lower().split(b"\r\n") if line.startswith(SERVED_BY)]
            await reader.read()
            return named[0].removeprefix(SERVED_BY).strip().decode() if named else UNNAMED
        finally:
            writer.transport.abort()


async def run(client: Client, every: float, patience: float) -> None:
    """Ask until standard input ends."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, ended.set)
    asking: set[asyncio.Task[None]] = set()
    due = loop.time()
    while not ended.is_set():
        task = asyncio.create_task(client.ask(patience))
        asking.add(task)
        task.add_done_callback(asking.discard)
        due = max(due + every, loop.time() - every)
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), max(due - loop.time(), 0))
    loop.remove_reader(sys.stdin)
    await asyncio.gather(*asking)


def main(record: str, address: str, port: str, path: str, *rest: str) -> None:
    """Ask until standard input ends."""
    rate, patience, ca = rest
    run_before_others()
    with Path(record).open("w", encoding="ascii", buffering=1) as lines:
        client = Client(lines, (address, int(port)), path, ca)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        asyncio.run(run(client, 1 / float(rate), float(patience)))


if __name__ == "__main__":
    main(*sys.argv[1:])
