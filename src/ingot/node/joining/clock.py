"""Whether this machine's clock is right, asked before it joins.

What the cluster signs for a node holds from five minutes ago on: with a clock that is behind, a
node cannot use its own certificate, and says so in words that name everything but the clock. The
config server's answers tell the time. Setting the clock is chrony's work, which is given its time.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

import httpx2

from ingot.configserver.joinfile import Source
from ingot.errors import IngotError
from ingot.process import CommandFailed, MissingProgram, run

__all__ = ["Clock", "ClockError", "difference", "spoken", "stepped", "stepped_in"]

ALLOWED: Final = timedelta(minutes=1)
"""Of the five minutes by which certificates are dated back."""

SETTLE_SECONDS: Final = 120.0
"""chrony sets the clock with its first good answers: within ten seconds, where it gets any. A
source that is given by name may need a minute for that name."""

LOOK_SECONDS: Final = 3.0
ASK_SECONDS: Final = 10.0
NO_CHECK_TIME: Final = 0x200000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which Python has no name for: by a clock that may be wrong
nobody can say whether a certificate has expired."""

_STEPPED: Final = re.compile(r"System clock was stepped by (-?\d+(?:\.\d+)?) seconds")


class ClockError(IngotError):
    """This machine's clock is off, and nobody sets it."""

    def __init__(self, ahead: timedelta, within: float) -> None:
        super().__init__(
            f"its clock is {spoken(ahead)} the config server's, and no time source has set it "
            f"within {within / 60:.0f} minutes",
            remedy="see `chronyc sources` on it, and additionalNTPServers",
        )


def difference(source: Source) -> timedelta | None:
    """Return how far this clock is ahead of the config server's; None if that does not answer."""
    parts = urlsplit(source.url)
    try:
        context = ssl.create_default_context(cadata=source.authority)
        context.verify_flags |= NO_CHECK_TIME
        with httpx2.Client(verify=context, timeout=ASK_SECONDS, trust_env=False) as client:
            answer = client.get(f"{parts.scheme}://{parts.netloc}/healthz")
        theirs = parsedate_to_datetime(answer.headers["date"])
    except (httpx2.HTTPError, OSError, LookupError, ValueError):
        return None
    return datetime.now(UTC) - theirs


def stepped() -> timedelta:
    """Return by how much chrony has set this clock forward since the machine was switched on."""
    command = ("journalctl", "--boot", "--unit=chrony", "--output=cat", "--no-pager")
    try:
        return stepped_in(run(command))
    except (CommandFailed, MissingProgram):
        return timedelta()


def stepped_in(journal: str) -> timedelta:
    """Return the same, from what chrony has written."""
    return sum((timedelta(seconds=float(one)) for one in _STEPPED.findall(journal)), timedelta())


def spoken(ahead: timedelta) -> str:
    """Return how far a clock is off, in words that end before another one."""
    seconds = abs(ahead.total_seconds())
    units = {"days": 86400.0, "h": 3600.0, "min": 60.0, "s": 0.0}
    unit = next(name for name, length in units.items() if seconds >= 2 * length)
    length = units[unit] or 1.0
    return f"{seconds / length:.0f} {unit} {'ahead of' if ahead > timedelta() else 'behind'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Sees to it that a node joins with the right time.

    Attributes:
        differs: how far this clock is ahead of a config server's.
        stepped: how far it was set since the machine was switched on.
        wait: waits for some seconds.
        limit: how long somebody has to set it, in seconds.
    """

    differs: Callable[[Source], timedelta | None] = difference
    stepped: Callable[[], timedelta] = stepped
    wait: Callable[[float], None] = time.sleep
    limit: float = SETTLE_SECONDS

    def settled(self, source: Source | None, say: Callable[[str], None]) -> str:
        """Return when the clock is right, or cannot be compared; with how far it was off.

        Args:
            source: the config server.
            say: told what is waited for.

        Raises:
            ClockError: it stays wrong.
        """
        waited, told = 0.0, ""
        while source is not None and (ahead := self.differs(source)) is not None:
            if abs(ahead) <= ALLOWED:
                return self._was_off()
            if waited >= self.limit:
                raise ClockError(ahead, self.limit)
            seen = f"its clock is {spoken(ahead)} the config server's"
            if seen != told:
                say(f"waiting: {seen}, and chrony is to set it")
                told = seen
            self.wait(LOOK_SECONDS)
            waited += LOOK_SECONDS
        return ""

    def _was_off(self) -> str:
        forward = self.stepped()
        if abs(forward) <= ALLOWED:
            return ""
        return f"its clock was {spoken(-forward)} the time, and has been set"
