"""What the config server writes to the API: fresh tokens, nodes' reports, and who asked."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ingot.configserver.bootstraptoken import (
    HOST_LABEL,
    NAMESPACE,
    SECRETS,
    Token,
    label_of,
    stale,
)
from ingot.configserver.report import CONFIG_MAPS, Report, key_of
from ingot.configserver.visits import Visits, visits_key
from ingot.kube.client import KubeClient, Patch, Selection
from ingot.kube.errors import AlreadyExists, ApiError, NotFound
from ingot.kube.kind import Content
from ingot.kube.object import KubeObject

__all__ = ["Keeper"]

log = logging.getLogger(__name__)

TRIES = 3
"""Of two thousand million numbers, no two are the same three times."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """Writes to one API.

    Attributes:
        client: how it is reached.
    """

    client: KubeClient
    _turns: defaultdict[str, asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )

    async def grant(self, host: str) -> Token:
        """Return a fresh token for a host; what was made for it before no longer holds.

        Raises:
            ApiError: the API did not take it.
        """
        async with self._turns[host]:
            token, stored = await self._created(host)
            try:
                await self._forget_older(host, stored)
            except ApiError as error:
                # They expire by themselves; the host need not wait for that.
                log.warning("older tokens of %s stay until they expire: %s", host, error)
            return token

    async def keep(self, host: str, report: Report) -> None:
        """Keep a host's report in place of its last one.

        Raises:
            ApiError: the API did not take it.
        """
        body = report.manifest(host, now=datetime.now(UTC))
        await self.client.patch(CONFIG_MAPS, key_of(host), body, how=Patch.APPLY, force=True)

    async def visits(self, host: str) -> Visits:
        """Return what is kept of a host's asking; nothing where it never asked.

        Raises:
            ApiError: the API did not say.
        """
        try:
            found = await self.client.get(CONFIG_MAPS, visits_key(host))
        except NotFound:
            return Visits(host=host)
        return Visits.parse(host, found.content)

    async def keep_visits(self, visits: Visits) -> None:
        """Keep what a host did in place of what was known.

        Raises:
            ApiError: the API did not take it.
        """
        key, body = visits_key(visits.host), visits.manifest()
        await self.client.patch(CONFIG_MAPS, key, body, how=Patch.APPLY, force=True)

    async def _created(self, host: str) -> tuple[Token, KubeObject[Content]]:
        for left in reversed(range(TRIES)):
            token = Token.fresh(host, now=datetime.now(UTC))
            try:
                return token, await self.client.create(SECRETS, token.manifest())
            except AlreadyExists:
                if not left:
                    raise
        raise AssertionError("unreachable")

    async def _forget_older(self, host: str, stored: KubeObject[Content]) -> None:
        chosen = Selection(NAMESPACE, labels=f"{HOST_LABEL}={label_of(host)}")
        page = await self.client.list(SECRETS, chosen)
        for one in stale(stored, page.objects):
            with suppress(NotFound):
                await self.client.delete(SECRETS, one.key, uid=one.metadata.uid)
