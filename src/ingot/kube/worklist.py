"""The queue in its event loop: workers wait for items, and items that were put off wake them."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Generic, TypeVar

from ingot.kube.backoff import RECONCILE, ItemBackoff, Schedule
from ingot.kube.metrics import QueueMetrics
from ingot.kube.queueing import WorkQueue

__all__ = ["Worklist"]

K = TypeVar("K", bound=Hashable)

EARLY_SECONDS = 0.001
"""The loop runs a timer early by up to the resolution of its clock; to it, that is on time."""


class Worklist(Generic[K]):
    """Items for workers. Time is the event loop's; every method but `take` returns at once."""

    def __init__(self, metrics: QueueMetrics, *, schedule: Schedule = RECONCILE) -> None:
        self._queue: WorkQueue[K] = WorkQueue()
        self._backoff: ItemBackoff[K] = ItemBackoff(schedule)
        self._metrics = metrics
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False
        metrics.watch(
            depth=lambda: self._queue.depth,
            working=self._queue_working,
        )

    def add(self, item: K) -> None:
        """Put an item in now."""
        if not self._stopped and self._queue.add(item, now=self._loop.time()):
            self._metrics.adds.inc()
            self._changed.set()

    def add_after(self, item: K, seconds: float) -> None:
        """Put an item in later."""
        if seconds <= 0:
            self.add(item)
        elif not self._stopped:
            self._queue.add_at(item, when=self._loop.time() + seconds)
            self._set_timer()

    def add_failed(self, item: K, *, at_least: float = 0.0) -> float:
        """Put an item in after a back-off that grows with its failures; return how long."""
        seconds = max(self._backoff.failed(item), at_least)
        self._metrics.retries.inc()
        self.add_after(item, seconds)
        return seconds

    def forgive(self, item: K) -> None:
        """Forget the failures of an item."""
        self._backoff.reset(item)

    def failures(self, item: K) -> int:
        """Return how often an item has failed in a row."""
        return self._backoff.failures(item)

    async def take(self) -> K | None:
        """Wait for an item; None once it is stopped. Whoever takes one calls `done`."""
        while not self._stopped:
            taken = self._queue.take(now=self._loop.time())
            if taken is not None:
                item, waited = taken
                self._metrics.queue_duration.observe(waited)
                return item
            self._changed.clear()
            await self._changed.wait()
        return None

    def done(self, item: K) -> None:
        """Give an item back."""
        self._metrics.work_duration.observe(self._queue.done(item, now=self._loop.time()))
        if self._queue.depth:
            self._changed.set()

    def stop(self) -> None:
        """Hand out nothing more, and take nothing more in."""
        self._stopped = True
        self._queue.drop_pending()
        if self._timer:
            self._timer.cancel()
        self._changed.set()

    def _set_timer(self) -> None:
        when = self._queue.next_due()
        if when is None:
            return
        if self._timer:
            if self._timer.when() <= when and not self._timer.cancelled():
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        woken = self._queue.wake(now=self._loop.time() + EARLY_SECONDS)
        if woken:
            self._metrics.adds.inc(woken)
            self._changed.set()
        self._set_timer()

    def _queue_working(self) -> list[float]:
        now = self._loop.time()
        return [now - since for since in self._queue.working.values()]
