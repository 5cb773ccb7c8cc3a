"""How long to wait after a failure: twice as long each time, up to a limit."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Backoff", "ItemBackoff", "Schedule"]

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The delays, in seconds.

    Attributes:
        first: after the first failure.
        longest: however many failures there were.
    """

    first: float
    longest: float

    def delay(self, failures: int) -> float:
        """Return how long to wait after a number of failures in a row, the last included."""
        # Beyond 2**64 nothing fits into a year; a float would overflow after weeks of failures.
        return min(self.first * 2.0 ** min(failures - 1, 64), self.longest)


RECONCILE = Schedule(first=0.005, longest=1000.0)
"""As controller-runtime has it."""

RECONNECT = Schedule(first=0.5, longest=30.0)
"""For the API server: it is back within seconds after a restart, and a second is soon enough."""


@dataclass(slots=True)
class ItemBackoff(Generic[K]):
    """Failures in a row, for each item of its own."""

    schedule: Schedule = RECONCILE
    _failures: dict[K, int] = field(default_factory=dict)

    def failed(self, item: K) -> float:
        """Count a failure, and return how long to wait now."""
        self._failures[item] = failures = self._failures.get(item, 0) + 1
        return self.schedule.delay(failures)

    def failures(self, item: K) -> int:
        """Return how many there were since the last success."""
        return self._failures.get(item, 0)

    def reset(self, item: K) -> None:
        """Forget the failures: it succeeded, or what it failed on has changed."""
        self._failures.pop(item, None)


@dataclass(slots=True)
class Backoff:
    """Failures in a row of one thing that many others may wait for too.

    A delay is drawn between half and whole, so that all who lost the same server do not come back
    in the same moment.
    """

    schedule: Schedule = RECONNECT
    draw: Callable[[], float] = random.random
    _failures: int = 0

    def failed(self, *, at_least: float | None = None) -> float:
        """Count a failure, and return how long to wait now.

        Args:
            at_least: what the server asked for.
        """
        self._failures += 1
        delay = self.schedule.delay(self._failures) * (0.5 + self.draw() / 2)
        return max(delay, at_least or 0.0)

    def reset(self) -> None:
        """Begin anew."""
        self._failures = 0
