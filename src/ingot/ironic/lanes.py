"""Who may call Ironic next: few calls at once, one for each host, every host in its turn.

Ironic's API has ten threads, and Python's lock lets about one of them run: four calls at once
already reach its full speed, and more only lengthen each other. But a call may also *wait*, for a
BMC or for a node's lock, and then holds its thread for seconds. So calls have lanes:

* listings of everything, which the whole operator sees by: one at a time, never behind others,
* quick calls, which end in Ironic's database or in a task it starts,
* slow calls, in which Ironic asks a BMC or an image server before it answers.

Slow ones can fill their own lane only. All lanes together leave Ironic two threads, for agents.

Within a lane each host has at most one call under way, and hosts take turns; so a host with a dead
BMC and fifty waiting calls costs the others one place. A semaphore was rejected: it serves in order
of arrival, so those fifty would come first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum

__all__ = ["Lane", "Speed"]


class Speed(Enum):
    """What a call waits for inside of Ironic; the value is how many run at once."""

    LISTING = 1
    QUICK = 4
    SLOW = 3


class Lane:
    """A place where calls wait for their turn."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._running: set[str] = set()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """Hosts with waiting calls; the first key is whose turn is next."""

    @property
    def running(self) -> int:
        """How many calls are under way."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """How many calls wait."""
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, host: str, *, patience: float) -> AsyncIterator[None]:
        """Wait for a place, and have it for the time of the block.

        Raises:
            TimeoutError: none was free within `patience` seconds.
        """
        await self._entered(host, patience)
        try:
            yield
        finally:
            self._running.discard(host)
            if host in self._waiting:
                # Its other calls came while it was served, perhaps before those of other hosts.
                self._waiting[host] = self._waiting.pop(host)
            self._admit()

    async def _entered(self, host: str, patience: float) -> None:
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(host, deque()).append(ticket)
        self._admit()
        try:
            async with asyncio.timeout(patience):
                await ticket
        except (TimeoutError, asyncio.CancelledError):
            if ticket.done() and not ticket.cancelled():
                # Admitted and given up in the same moment: the place goes to the next.
                self._running.discard(host)
            else:
                self._leave(host, ticket)
            self._admit()
            raise

    def _leave(self, host: str, ticket: asyncio.Future[None]) -> None:
        queue = self._waiting.get(host)
        if queue is not None and ticket in queue:
            queue.remove(ticket)
            if not queue:
                del self._waiting[host]

    def _admit(self) -> None:
        while len(self._running) < self._places:
            host = next((host for host in self._waiting if host not in self._running), None)
            if host is None:
                return
            queue = self._waiting.pop(host)
            ticket = queue.popleft()
            if queue:
                self._waiting[host] = queue
            if not ticket.done():
                self._running.add(host)
                ticket.set_result(None)
