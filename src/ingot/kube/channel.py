"""How a request is sent: over one pool of connections, in its turn, and with a deadline.

The deadline includes waiting for a turn: only so many requests are under way at once, so that a
thousand hosts do not knock at the same moment. Watches, long and idle, do not count.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TypeAlias

import httpx2

from ingot.kube.errors import Overdue, Unavailable, error_of

__all__ = ["AnswerObserver", "Channel"]

AnswerObserver: TypeAlias = Callable[[str, int], None]
"""Told the method and the number of each answer; 0 where none came."""

CONNECT_SECONDS = 5.0
"""An API server that takes longer to greet is taken for one that is away."""


class Channel:
    """Requests to one server."""

    def __init__(
        self,
        http: httpx2.AsyncClient,
        *,
        deadline: float,
        at_once: int,
        observers: list[AnswerObserver],
    ) -> None:
        self.deadline = deadline
        self.observers = observers
        self._http = http
        self._turns = asyncio.Semaphore(at_once)
        # Connecting fails well before the deadline. A handshake that is cancelled from outside
        # leaves its socket open behind it; one that takes too long by the pool's clock does not.
        self._patience = httpx2.Timeout(None, connect=min(CONNECT_SECONDS, deadline / 3))

    def apart(self, *, at_once: int, deadline: float | None) -> Channel:
        """Return a channel over the same connections whose requests wait for none of ours."""
        return Channel(
            self._http,
            deadline=deadline or self.deadline,
            at_once=at_once,
            observers=self.observers,
        )

    async def close(self) -> None:
        """Close the connections, also those of the channels apart."""
        await self._http.aclose()

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        media_type: str = "application/json",
    ) -> bytes:
        """Send a request and return its answer.

        Raises:
            ApiError: by its class, why there is none.
        """
        call = f"{method} {path}"
        try:
            async with asyncio.timeout(self.deadline), self._turns:
                answer = await self._http.request(
                    method,
                    path,
                    params=params,
                    content=content,
                    headers=None if content is None else {"Content-Type": media_type},
                    timeout=self._patience,
                )
        except TimeoutError:
            self._tell(method, 0)
            raise _overdue(call, f"no answer within {self.deadline:g} seconds") from None
        except httpx2.TransportError as lost:
            self._tell(method, 0)
            raise _lost(call, lost) from lost
        self._tell(method, answer.status_code)
        if not answer.is_success:
            raise error_of(call, answer.status_code, answer.headers, answer.content)
        return answer.content

    @asynccontextmanager
    async def listen(
        self, path: str, params: Mapping[str, str]
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """Send a request and yield its answer while it comes; the block reads as it likes.

        Raises:
            ApiError: there is none, or it broke off. A TimeoutError of the block becomes one.
        """
        call = f"WATCH {path}"
        request = self._http.build_request("GET", path, params=params, timeout=self._patience)
        try:
            async with asyncio.timeout(self.deadline):
                answer = await self._http.send(request, stream=True)
            try:
                self._tell("WATCH", answer.status_code)
                if not answer.is_success:
                    async with asyncio.timeout(self.deadline):
                        content = await answer.aread()
                    raise error_of(call, answer.status_code, answer.headers, content)
                yield answer.aiter_raw()
            finally:
                await answer.aclose()
        except TimeoutError:
            self._tell("WATCH", 0)
            raise _overdue(call, "nothing was heard for too long") from None
        except httpx2.TransportError as lost:
            self._tell("WATCH", 0)
            raise _lost(call, lost) from lost

    def _tell(self, method: str, code: int) -> None:
        for observer in self.observers:
            observer(method, code)


def _overdue(call: str, message: str) -> Overdue:
    return Overdue(call, code=0, reason="Overdue", message=message)


def _lost(call: str, lost: httpx2.TransportError) -> Unavailable:
    said = str(lost) or lost.__class__.__name__
    if isinstance(lost, httpx2.TimeoutException):
        return _overdue(call, f"no connection in time ({said})")
    return Unavailable(call, code=0, reason="NoConnection", message=said)
