"""Keeping what hosts do here, beside answering them: no answer waits for it, or tells by its delay.

Of several refusals within a moment one is written, which counts them all: nobody makes the API busy
by guessing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from ingot.configserver.keeping import Keeper
from ingot.configserver.visits import Visits
from ingot.kube.errors import ApiError

__all__ = ["Ledger"]

log = logging.getLogger(__name__)

EVERY_SECONDS: Final = 5.0
"""Between two refusals that are written of one host."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What all hosts did here.

    Attributes:
        keeper: what writes it down.
        clock: seconds that only grow.
    """

    keeper: Keeper
    clock: Callable[[], float]
    _known: dict[str, Visits] = field(default_factory=dict)
    _written: dict[str, float] = field(default_factory=dict)
    _turns: defaultdict[str, asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )
    _writing: set[asyncio.Task[None]] = field(default_factory=set)

    def granted(self, host: str, peer: str) -> None:
        """Note that a host got its config."""
        now = datetime.now(UTC)
        self._later(host, lambda seen: seen.after_grant(peer, now=now), at_once=True)

    def refused(self, host: str, peer: str, why: str) -> None:
        """Note that somebody who is a host, or says so, was refused."""
        now = datetime.now(UTC)
        self._later(host, lambda seen: seen.after_refusal(peer, why, now=now), at_once=False)

    def clock_told(self, host: str, message: str) -> None:
        """Note what a host says of its clock."""
        self._later(host, lambda seen: seen.after_clock(message), at_once=True)

    def _later(self, host: str, change: Callable[[Visits], Visits], *, at_once: bool) -> None:
        task = asyncio.create_task(self._noted(host, change, at_once=at_once))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _noted(self, host: str, change: Callable[[Visits], Visits], *, at_once: bool) -> None:
        async with self._turns[host]:
            try:
                # What was written before this server was started, or by another, counts as well.
                before = self._known.get(host) or await self.keeper.visits(host)
                self._known[host] = after = change(before)
                now = self.clock()
                if at_once or now - self._written.get(host, -EVERY_SECONDS) >= EVERY_SECONDS:
                    await self.keeper.keep_visits(after)
                    self._written[host] = now
            except ApiError as error:
                log.warning("what %s did is not written down: %s", host, error)
