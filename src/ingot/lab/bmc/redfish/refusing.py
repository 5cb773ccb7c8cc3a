"""When a BMC refuses connections.

A refused connection is the kernel's answer for a port on which nobody listens; nobody is told of
it, so it cannot be counted. What is counted for this fault is time: each second in which it is set
is one occasion. `--times 30` refuses for half a minute, `--after 10` begins ten seconds later, and
a rate makes a BMC that comes and goes.
"""

from __future__ import annotations

from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.kind import FaultKind

__all__ = ["Refusing"]

OCCASION_SECONDS = 1.0


class Refusing:
    """Whether one BMC refuses connections now."""

    def __init__(self, faults: FaultBook, host: str) -> None:
        self._faults = faults
        self._host = host
        self._refuses = False
        self.due: float | None = None
        """When to look again; None when nothing will change by itself."""

    def look(self, now: float) -> bool:
        """Return whether connections are refused; called when due, and when faults have changed."""
        fault = self._faults.present(self._host, FaultKind.BMC_REFUSED)
        if fault is None:
            self._refuses, self.due = False, None
        elif self.due is None or now >= self.due:
            # The last second of a fault lasts as long as the others: it is spent only after it.
            if fault.is_spent:
                self._refuses, self.due = False, None
            else:
                struck = self._faults.strikes(self._host, FaultKind.BMC_REFUSED)
                self._refuses, self.due = struck is not None, now + OCCASION_SECONDS
        return self._refuses
