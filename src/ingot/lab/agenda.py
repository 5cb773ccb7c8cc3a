"""Work that is done later, one piece after the other, by a thread of its own.

Whoever has something to do now, or after some seconds, hands it over and goes on. Because one
thread does it all, no two pieces ever run at the same time. Tests bring an agenda whose time passes
when they say so.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

__all__ = ["Agenda", "ThreadAgenda"]

ENDING_SECONDS = 10.0
"""How long a piece of work that has begun may still take when its agenda is closed."""


class Agenda(Protocol):
    """Where work is handed over; callable from any thread."""

    def now(self) -> float:
        """Return the seconds since some moment in the past."""

    def later(self, seconds: float, work: Callable[[], object]) -> Future[None]:
        """Have work done after some seconds; what is returned tells how it went, or cancels it."""

    def close(self) -> None:
        """Forget what has not begun, and wait for what has."""


class ThreadAgenda:
    """An agenda in real time; its thread starts with the first piece of work."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._order = itertools.count()
        self._waiting: list[tuple[float, int, Future[None], Callable[[], object]]] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def now(self) -> float:
        """Return the seconds since some moment in the past."""
        return time.monotonic()

    def later(self, seconds: float, work: Callable[[], object]) -> Future[None]:
        """Have work done after some seconds; what is returned tells how it went, or cancels it."""
        future: Future[None] = Future()
        with self._changed:
            if self._closed:
                future.cancel()
                return future
            heapq.heappush(self._waiting, (self.now() + seconds, next(self._order), future, work))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify()
        return future

    def close(self) -> None:
        """Forget what has not begun, and wait for what has."""
        with self._changed:
            self._closed = True
            for _, _, future, _ in self._waiting:
                future.cancel()
            self._waiting.clear()
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(ENDING_SECONDS)

    def _run(self) -> None:
        while (due := self._next()) is not None:
            future, work = due
            if not future.set_running_or_notify_cancel():
                continue
            try:
                work()
            except Exception as error:  # noqa: BLE001 - told to whoever holds the future
                future.set_exception(error)
            else:
                future.set_result(None)

    def _next(self) -> tuple[Future[None], Callable[[], object]] | None:
        with self._changed:
            while not self._closed:
                left = self._waiting[0][0] - self.now() if self._waiting else None
                if left is not None and left <= 0:
                    _, _, future, work = heapq.heappop(self._waiting)
                    return future, work
                self._changed.wait(left)
        return None
