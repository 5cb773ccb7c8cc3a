"""Being the only one who acts, by a Lease.

* A leader that could not renew in time stops at once, earlier than any other may begin.
* A leader that is told to stop ends its work and then releases the lease. The others watch it, so
  the next one begins in the same moment and not at its next look.
* Time is that of the machine since it was started, sleep included: a process that was frozen knows
  on waking that its time is over.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from ingot.errors import ExitCode, IngotError
from ingot.kube.backoff import Backoff
from ingot.kube.client import KubeClient, Selection
from ingot.kube.errors import AlreadyExists, ApiError, Conflict, NotFound
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.lease import Lease, Terms, Verdict, Witness
from ingot.kube.object import KubeObject
from ingot.kube.stopping import finished_before
from ingot.kube.stream import EventType

__all__ = ["LEASES", "Leadership", "LeadershipLost", "boot_time", "own_identity"]

log = logging.getLogger(__name__)

LEASES: Final = Kind.untyped("coordination.k8s.io", "v1", "Lease", "leases")

RELEASE_SECONDS = 5.0
"""How long releasing may take. Without it the others wait for the lease to expire: no harm."""

HASTE = 4
"""How much more often than usual a lease is renewed after that has failed."""


class LeadershipLost(IngotError):  # noqa: N818 - it says what happened
    """Another one may lead now, and this process must not act any more."""

    exit_code = ExitCode.OTHER

    @classmethod
    def found_in(cls, several: BaseExceptionGroup[BaseException]) -> LeadershipLost | None:
        """Return the loss among several errors: it is what matters, the others follow from it."""
        for one in several.exceptions:
            found = cls.found_in(one) if isinstance(one, BaseExceptionGroup) else one
            if isinstance(found, cls):
                return found
        return None


def boot_time() -> float:
    """Return the seconds since the machine was started, sleep included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def own_identity() -> str:
    """Return a name for this process that no other has, nor will have after a restart."""
    return f"{socket.gethostname()}_{os.getpid()}_{uuid4()}"


class Leadership:
    """One candidate for one lease."""

    def __init__(
        self,
        client: KubeClient,
        lease: ObjectKey,
        *,
        identity: str = "",
        terms: Terms | None = None,
        clock: Callable[[], float] = boot_time,
        on_change: Callable[[bool], None] = lambda _leads: None,
    ) -> None:
        self.identity = identity or own_identity()
        self._terms = terms or Terms()
        self._client = client.apart(at_once=2, deadline=self._terms.retry_period)
        self._lease = lease
        self._clock = clock
        self._on_change = on_change
        self._witness = Witness(self.identity)
        self._written: KubeObject[Content] | None = None
        self._renewed: float | None = None

    def held(self) -> bool:
        """Tell whether we lead at this moment."""
        return (
            self._renewed is not None and self._clock() - self._renewed < self._terms.renew_deadline
        )

    async def run(self, act: Callable[[], Awaitable[None]], stop: asyncio.Event) -> None:
        """Wait until we lead, act, and release.

        Args:
            act: what only the leader does. It is cancelled as soon as we no longer lead.
            stop: ends the waiting. That it ends the acting is the matter of who acts.

        Raises:
            LeadershipLost: the process must end, and may be started again.
        """
        if not await finished_before(stop, self._acquire()):
            return
        log.info("%s leads by lease %s", self.identity, self._lease)
        self._on_change(True)  # noqa: FBT003 - the state itself
        try:
            async with asyncio.TaskGroup() as group:
                renewing = group.create_task(self._keep(), name="lease")
                await act()
                renewing.cancel()
        except BaseExceptionGroup as several:
            raise LeadershipLost.found_in(several) or several from None
        finally:
            self._on_change(False)  # noqa: FBT003
            await self._release()

    async def _acquire(self) -> None:
        backoff = Backoff()
        while True:
            try:
                found = await self._found()
                move = self._witness.decide(_read(found), now=self._clock())
                if move.verdict is not Verdict.WAIT:
                    await self._write(found)
                    return
                backoff.reset()
                await self._changed(found, within=move.until - self._clock())
            except (Conflict, AlreadyExists):
                continue  # Somebody was faster; the next look shows who.
            except ApiError as error:
                delay = min(backoff.failed(), self._terms.retry_period)
                log.warning("lease %s: %s; again in %.1f s", self._lease, error, delay)
                await asyncio.sleep(delay)

    async def _keep(self) -> None:
        """Renew until cancelled.

        Raises:
            LeadershipLost: it was not possible in time, or somebody else holds the lease.
        """
        period = self._terms.retry_period
        pause = period
        while True:
            left = self._left()
            await asyncio.sleep(min(pause, left))
            try:
                async with asyncio.timeout(self._left()):
                    await self._renew()
                pause = period
            except (ApiError, TimeoutError) as error:
                pause = period / HASTE
                log.warning(
                    "lease %s not renewed: %s", self._lease, str(error) or "deadline passed"
                )

    def _left(self) -> float:
        """Return how long we lead without another renewal.

        Raises:
            LeadershipLost: not at all.
        """
        renewed = -math.inf if self._renewed is None else self._renewed
        left = renewed + self._terms.renew_deadline - self._clock()
        if left <= 0:
            self._renewed = None
            raise LeadershipLost(
                f"lease {self._lease} could not be renewed for"
                f" {self._terms.renew_deadline:g} seconds",
                remedy="start again; if it repeats, see whether the API server answers in time",
            )
        return left

    async def _renew(self) -> None:
        try:
            await self._write(self._written)
        except (Conflict, NotFound, AlreadyExists):
            # Our own write may have arrived unknown to us, or the lease was edited or deleted.
            found = await self._found()
            lease = _read(found)
            if lease is not None and lease.holder != self.identity:
                self._renewed = None
                raise LeadershipLost(
                    f"lease {self._lease} is held by {lease.holder or 'nobody'} now",
                    remedy="start again; somebody else leads",
                ) from None
            await self._write(found)

    async def _found(self) -> KubeObject[Content] | None:
        try:
            return await self._client.get(LEASES, self._lease)
        except NotFound:
            return None

    async def _write(self, found: KubeObject[Content] | None) -> None:
        """Make the lease ours, or renew it; it is ours from before the request was sent."""
        began = self._clock()
        before = _read(found)
        transitions = before.transitions if before else 0
        mine = before is not None and before.holder == self.identity
        body = self._body(found)
        body["spec"].update(
            holderIdentity=self.identity,
            leaseDurationSeconds=math.ceil(self._terms.duration),
            renewTime=_now(),
            leaseTransitions=transitions if mine or before is None else transitions + 1,
        )
        if not mine:
            body["spec"]["acquireTime"] = body["spec"]["renewTime"]
        if found is None:
            self._written = await self._client.create(LEASES, body)
        else:
            self._written = await self._client.replace(LEASES, body)
        self._renewed = began

    async def _release(self) -> None:
        """Let the lease go, if it is ours."""
        if self._written is None or not self.held():
            return
        self._renewed = None
        body = self._body(self._written)
        body["spec"].update(holderIdentity="", leaseDurationSeconds=1, renewTime=_now())
        try:
            async with asyncio.timeout(RELEASE_SECONDS):
                await self._client.replace(LEASES, body)
        except (ApiError, TimeoutError) as error:
            log.warning("lease %s not released: %s", self._lease, str(error) or "deadline passed")

    async def _changed(self, found: KubeObject[Content] | None, *, within: float) -> None:
        """Return when the lease changes, at the latest after a time or the retry period."""
        within = max(0.0, min(within, self._terms.retry_period))
        only = Selection(self._lease.namespace, fields=f"metadata.name={self._lease.name}")
        known = found.metadata.resource_version if found else ""
        try:
            async with asyncio.timeout(within):
                # From now on, and not from the lease's own version: a server that was started after
                # its last change has forgotten that.
                changes = self._client.watch(
                    LEASES,
                    only,
                    resource_version="",
                    seconds=within + 1,
                    silence=within + 1,
                )
                async with aclosing(changes):  # type: ignore[type-var] # mypy does not see the generator
                    async for change in changes:
                        told = change.object.metadata.resource_version
                        if change.type is not EventType.BOOKMARK and told != known:
                            return
        except TimeoutError:
            return

    def _body(self, found: KubeObject[Content] | None) -> Content:
        if found is None:
            name = {"namespace": self._lease.namespace, "name": self._lease.name}
            return {"metadata": name, "spec": {}}
        body = found.content
        body.setdefault("spec", {})
        return body


def _read(found: KubeObject[Content] | None) -> Lease | None:
    if found is None:
        return None
    spec = found.content.get("spec", {})
    return Lease(
        holder=spec.get("holderIdentity") or "",
        renewed=spec.get("renewTime") or "",
        duration=spec.get("leaseDurationSeconds") or 0,
        transitions=spec.get("leaseTransitions") or 0,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
