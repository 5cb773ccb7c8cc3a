"""Keeping a daemon alive: started when wanted, started again when it has ended, after a while.

The first time at once, then twice as late each time: what cannot live must not eat the machine.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ingot.errors import IngotError
from ingot.kube.backoff import Schedule
from ingot.onprem.monitor.child import Child

__all__ = ["Supervised"]

log = logging.getLogger(__name__)

AGAIN = Schedule(first=0.1, longest=10.0)
GOOD_SECONDS = 20.0
"""Who lived so long is not counted as failed."""

GRACE_SECONDS = 8.0
"""keepalived gives itself five."""


async def _nothing() -> None:
    pass


class Supervised:
    """One daemon.

    Attributes:
        name: how it is called in logs.
        child: what runs now, if anything.
        ends: how often it has ended by itself.
    """

    def __init__(
        self,
        name: str,
        *,
        if_orphaned: str = "KILL",
        before: Callable[[], Awaitable[None]] = _nothing,
        begun: Callable[[int], None] = lambda _pid: None,
        after: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """Prepare for it.

        Args:
            name: how it is called in logs.
            if_orphaned: the signal that it gets when we die.
            before: what is done before each start.
            begun: what is done with its process as soon as there is one.
            after: what is done after each end that was not asked for; told how it ended.
        """
        self.name = name
        self.child: Child | None = None
        self.ends = 0
        self._if_orphaned = if_orphaned
        self._before = before
        self._begun = begun
        self._after = after
        self._command: tuple[str | Path, ...] = ()
        self._changed = asyncio.Event()
        self._stopped = asyncio.Event()
        self._stopped.set()

    @property
    def runs(self) -> bool:
        """Whether it does now."""
        return self.child is not None and self.child.runs

    def want(self, command: Sequence[str | Path]) -> None:
        """Have it run; nothing changes where it does."""
        if not self._command:
            self._command = tuple(command)
            self._changed.set()

    async def unwant(self) -> None:
        """Have it not run; it does not when this returns."""
        self._command = ()
        self._changed.set()
        await self._stopped.wait()

    def end(self, why: str) -> None:
        """End it at once; it is started again as after any end."""
        if self.child is not None:
            log.error("%s is ended: %s", self.name, why)
            self.child.kill()

    def reload(self) -> None:
        """Have it read its configuration again."""
        if self.child is not None:
            self.child.tell(signal.SIGHUP)

    async def run(self) -> None:
        """Keep it as wanted until cancelled; then it is stopped first."""
        failures = 0
        try:
            while True:
                await self._until_changed(None)
                while self._command:
                    lived = await self._one_life()
                    if not self._command:
                        break
                    failures = 1 if lived >= GOOD_SECONDS else failures + 1
                    delay = AGAIN.delay(failures)
                    log.warning("%s is started again in %.1f s", self.name, delay)
                    await self._until_changed(delay)
                self._stopped.set()
        finally:
            await self._stop()
            self._stopped.set()

    async def _one_life(self) -> float:
        """Start it, and return how long it lived."""
        loop = asyncio.get_running_loop()
        self._stopped.clear()
        began = loop.time()
        try:
            await self._before()
            self.child = Child(self.name, self._command, if_orphaned=self._if_orphaned)
            self._begun(self.child.pid)
        except (OSError, IngotError) as error:
            log.error("%s cannot be started: %s", self.name, error)  # noqa: TRY400 - it says all
            return 0.0
        log.info("%s is started (process %d)", self.name, self.child.pid)
        while self.child.runs and self._command:
            change = asyncio.create_task(self._changed.wait())
            await asyncio.wait({self.child.gone, change}, return_when=asyncio.FIRST_COMPLETED)
            change.cancel()
            self._changed.clear()
        if not self._command:
            await self._stop()
            return 0.0
        how = await self.child.gone
        self.child = None
        self.ends += 1
        lived = loop.time() - began
        log.error("%s %s after %.1f s", self.name, how, lived)
        if self._after is not None:
            await self._after(how)
        return lived

    async def _stop(self) -> None:
        child, self.child = self.child, None
        if child is not None and child.runs:
            how = await child.stop(grace=GRACE_SECONDS)
            log.info("%s is stopped: it %s", self.name, how)

    async def _until_changed(self, seconds: float | None) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()
