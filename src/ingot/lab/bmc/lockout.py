"""Too many wrong log-ins in a row lock an account for a while, as real BMCs do.

While it is locked, right credentials are refused as well, and wrong ones do not make the lock
longer. A source that has been quiet for as long as a lock lasts starts over.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

__all__ = ["Lockout"]

LIMIT = 5
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Failures:
    count: int
    last: float


class Lockout:
    """The log-ins of one BMC; safe to use from any thread.

    A source is whatever failures are counted by: the name of an account, or an address.
    """

    def __init__(
        self,
        *,
        limit: int = LIMIT,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limit = limit
        self.seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: dict[str, _Failures] = {}

    def is_locked(self, source: str) -> bool:
        """Return whether log-ins are refused without looking at them."""
        return self.remaining(source) > 0

    def remaining(self, source: str) -> float:
        """Return for how many more seconds that will be so."""
        with self._lock:
            seen = self._failures.get(source)
            if seen is None or seen.count < self.limit:
                return 0.0
            return max(0.0, seen.last + self.seconds - self._clock())

    def failed(self, source: str) -> None:
        """Count a wrong log-in."""
        with self._lock:
            now = self._clock()
            # What is old goes here, so that made-up names do not pile up.
            self._failures = {
                name: seen
                for name, seen in self._failures.items()
                if now - seen.last < self.seconds
            }
            seen = self._failures.get(source, _Failures(0, now))
            if seen.count < self.limit:
                self._failures[source] = replace(seen, count=seen.count + 1, last=now)

    def succeeded(self, source: str) -> None:
        """Forget the wrong log-ins before this right one."""
        with self._lock:
            self._failures.pop(source, None)

    def forget(self) -> None:
        """Forget everything, as a BMC does that is started over."""
        with self._lock:
            self._failures.clear()
