"""Which object is worked on next. No clock and no tasks of its own: time is told.

* An item is in the queue once, however often it is added before somebody takes it.
* An item that is being worked on is not handed out again; added meanwhile, it comes once more when
  the work is done. So no change is lost, and no object has two workers.
* First come, first served: what is added again goes to the end, so none can starve the others.
* An item may be put off. Of several times the earliest counts, and it stays when the item is taken
  before: whoever asked for a time gets a turn at that time or later.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["WorkQueue"]

K = TypeVar("K", bound=Hashable)


@dataclass(slots=True)
class WorkQueue(Generic[K]):
    """The items, each in at most one of these places besides being put off."""

    _ready: OrderedDict[K, float] = field(default_factory=OrderedDict)
    """In their order, with the time since when."""
    _working: dict[K, float] = field(default_factory=dict)
    _again: dict[K, float] = field(default_factory=dict)
    """Those being worked on that were added meanwhile."""
    _due: dict[K, float] = field(default_factory=dict)
    """Those put off, with the time when they are to be ready."""
    _heap: list[tuple[float, int, K]] = field(default_factory=list)
    """The same by time. What no longer agrees with `_due` is passed over."""
    _counted: int = 0
    """Keeps the order of equal times, without comparing items."""

    def add(self, item: K, *, now: float) -> bool:
        """Put an item in, unless it is there; tell whether it was put in."""
        place = self._again if item in self._working else self._ready
        if item in place:
            return False
        place[item] = now
        return True

    def add_at(self, item: K, *, when: float) -> None:
        """Put an item in at a time, or earlier if that was asked for before."""
        if item in self._due and self._due[item] <= when:
            return
        self._due[item] = when
        self._counted += 1
        heapq.heappush(self._heap, (when, self._counted, item))

    def wake(self, *, now: float) -> int:
        """Put in what is due; return how many items that were not there."""
        woken = 0
        while self._heap and self._heap[0][0] <= now:
            when, _, item = heapq.heappop(self._heap)
            if self._due.get(item) == when:
                del self._due[item]
                woken += self.add(item, now=now)
        return woken

    def next_due(self) -> float | None:
        """Return when the next item that was put off is due; None if there is none."""
        while self._heap and self._due.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, *, now: float) -> tuple[K, float] | None:
        """Hand out the next item, and how long it was ready; None if there is none."""
        if not self._ready:
            return None
        item, since = self._ready.popitem(last=False)
        self._working[item] = now
        return item, now - since

    def done(self, item: K, *, now: float) -> float:
        """Take an item back; it is ready again if it was added meanwhile.

        Returns:
            How long it was worked on.
        """
        started = self._working.pop(item)
        since = self._again.pop(item, None)
        if since is not None:
            self._ready[item] = since
        return now - started

    def drop_pending(self) -> None:
        """Forget all that nobody works on yet."""
        self._ready.clear()
        self._again.clear()
        self._due.clear()
        self._heap.clear()

    @property
    def depth(self) -> int:
        """How many are ready."""
        return len(self._ready)

    @property
    def working(self) -> dict[K, float]:
        """What is being worked on, with the time since when."""
        return dict(self._working)
