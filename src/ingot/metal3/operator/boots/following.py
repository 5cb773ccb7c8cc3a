"""The boot servers' logs, followed for as long as the operator runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ingot.metal3.operator.boots.lines import dnsmasq_sign, web_sign
from ingot.metal3.operator.boots.logfile import LogFile
from ingot.metal3.operator.boots.sign import Sign
from ingot.metal3.operator.boots.trail import Signs, Trail

__all__ = ["Boots"]

EVERY: Final = 0.5
"""Seconds between two looks. The shortest limit of a boot is a minute; a look is a `stat` each."""

_LOG = logging.getLogger(__name__)


class Boots:
    """Who boots, and how far.

    It keeps nothing: after a restart it reads the end of both logs again.
    """

    def __init__(
        self,
        *,
        dnsmasq: Path,
        web: Path,
        every: float = EVERY,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        # In this order: a lease comes before what is fetched with its address.
        self._sources = (
            _Source(LogFile(dnsmasq), lambda line, now: dnsmasq_sign(line, now=now)),
            _Source(LogFile(web), lambda line, _: web_sign(line)),
        )
        self._trail = Trail()
        self._every = every
        self._clock = clock

    def signs(self, macs: Iterable[str]) -> Signs | None:
        """Return what was seen of a server with these network cards.

        None where not all can be seen: a missing log would pass for a missing server.
        """
        if not all(source.log.is_open for source in self._sources):
            return None
        return self._trail.signs(macs)

    async def follow(self) -> None:
        """Follow the logs until cancelled."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(self._every)
        finally:
            self.close()

    async def look(self) -> None:
        """Take in what has come since the last look."""
        for source in self._sources:
            now = self._clock()
            for sign in await _in_thread(source.signs, now):
                self._trail.add(sign, now=now)

    def close(self) -> None:
        """Let go of the logs; nothing is seen any more."""
        for source in self._sources:
            source.log.close()


class _Source:
    """One log, and how its lines are read. What cannot be read is told once and tried on."""

    def __init__(self, log: LogFile, read: Callable[[str, datetime], Sign | None]) -> None:
        self.log = log
        self._read = read
        self._told = False

    def signs(self, now: datetime) -> list[Sign]:
        """Return what has come since the last time."""
        try:
            lines = self.log.lines()
        except OSError as error:
            self.log.close()
            if not self._told:
                _LOG.warning("boots cannot be followed: %s: %s", self.log.path, error.strerror)
                self._told = True
            return []
        if self._told and self.log.is_open:
            _LOG.info("boots are followed again: %s", self.log.path)
            self._told = False
        return [sign for line in lines if (sign := self._read(line, now)) is not None]


async def _in_thread(read: Callable[[datetime], list[Sign]], now: datetime) -> list[Sign]:
    """Read without keeping others waiting; when this ends, so has the reading."""
    reading = asyncio.ensure_future(asyncio.to_thread(read, now))
    try:
        return await asyncio.shield(reading)
    finally:
        await asyncio.wait({reading})
