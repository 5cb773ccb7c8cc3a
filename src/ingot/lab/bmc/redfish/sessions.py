"""Who is logged in to a BMC: tokens that end by idleness, and never more than a few at once."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

__all__ = ["LIMIT", "Session", "Sessions", "SessionsExhausted"]

LIMIT = 16
"""Real BMCs have between 4 and 64; a client that forgets to log out must be able to meet it."""
IDLE_SECONDS = 1800


class SessionsExhausted(Exception):  # noqa: N818 - it says what was seen
    """All sessions are taken."""


@dataclass(frozen=True, slots=True)
class Session:
    """One log-in. The token is as good as the password, so it is in no representation."""

    number: str
    user: str
    client: str
    token: str = field(repr=False)
    created: datetime = field(default_factory=lambda: datetime.now(UTC))


class Sessions:
    """The sessions of one BMC; safe to use from any thread."""

    def __init__(
        self,
        *,
        limit: int = LIMIT,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limit = limit
        self.idle_seconds = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._opened = 0
        self._sessions: dict[str, Session] = {}
        self._used: dict[str, float] = {}

    def open(self, user: str, client: str) -> Session:
        """Begin a session.

        Raises:
            SessionsExhausted: none is left.
        """
        with self._lock:
            self._expire()
            if len(self._sessions) >= self.limit:
                raise SessionsExhausted
            self._opened += 1
            session = Session(str(self._opened), user, client, secrets.token_urlsafe(24))
            self._sessions[session.number] = session
            self._used[session.number] = self._clock()
            return session

    def use(self, token: str) -> Session | None:
        """Return the session of a token, and keep it from going idle."""
        with self._lock:
            self._expire()
            for session in self._sessions.values():
                if secrets.compare_digest(session.token.encode(), token.encode()):
                    self._used[session.number] = self._clock()
                    return session
            return None

    def find(self, number: str) -> Session | None:
        """Return a session by its number."""
        with self._lock:
            self._expire()
            return self._sessions.get(number)

    def all(self) -> tuple[Session, ...]:
        """Return those that are open."""
        with self._lock:
            self._expire()
            return tuple(self._sessions.values())

    def close(self, number: str) -> None:
        """End a session, if there is one of that number."""
        with self._lock:
            self._sessions.pop(number, None)
            self._used.pop(number, None)

    def close_all(self) -> None:
        """End all sessions, as a BMC does that is started over."""
        with self._lock:
            self._sessions.clear()
            self._used.clear()

    def _expire(self) -> None:
        oldest = self._clock() - self.idle_seconds
        for number in [number for number, used in self._used.items() if used <= oldest]:
            del self._sessions[number], self._used[number]
