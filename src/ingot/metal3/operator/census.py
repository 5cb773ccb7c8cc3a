"""All nodes of Ironic, looked at together.

One listing serves every host. It is taken every second or so while something changes by itself or
was just asked for, and seldom when all is at rest; a host whose node has changed is called for. A
host is read alone only by who is about to act on it, or where the listing is older than our last
call about it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ingot.ironic.client import Ironic
from ingot.ironic.node import NodeId, NodeStatus
from ingot.ironic.refusal import IronicError
from ingot.kube.kind import ObjectKey

__all__ = ["Census", "Pace"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often everything is listed, in seconds.

    Attributes:
        busy: while something is under way.
        rest: while nothing is.
        share: how many times longer than a listing took to wait at least, so that a slow Ironic
            has most of its time for other work; but never longer than at rest, because one listing
            that got stuck would leave all hosts unseen for minutes.
        stirred: how long after a call of ours something counts as under way.
        away: between two tries while Ironic does not answer.
    """

    busy: float = 1.0
    rest: float = 15.0
    share: float = 12.0
    stirred: float = 10.0
    away: float = 3.0

    def least(self, took: float) -> float:
        """Return how long to wait at least after a listing that took so long."""
        return max(self.busy, min(took * self.share, self.rest))


NOT_ASKED: Final = "Ironic has not been asked yet"
NO_DRIVERS: Final = "Ironic answers, but has no drivers yet"


class Census:
    """What Ironic knew of all hosts when it was last asked."""

    def __init__(self, ironic: Ironic, pace: Pace | None = None) -> None:
        self.problem = NOT_ASKED
        """Why Ironic cannot be worked with; "" if it can."""
        self.listings = 0
        """How often everything was listed."""
        self._ironic = ironic
        self._pace = pace or Pace()
        self._nodes: dict[NodeId, NodeStatus] = {}
        self._names: dict[str, NodeId] = {}
        self._hosts: dict[NodeId, ObjectKey] = {}
        self._touched: dict[NodeId, float] = {}
        self._began = float("-inf")
        self._stirred = float("-inf")
        self._hurry = asyncio.Event()
        self._callers: list[Callable[[ObjectKey], None]] = []
        self.on_listing: list[Callable[[], None]] = []
        """Who is told after each listing; may be added to."""
        self.on_readiness: list[Callable[[], None]] = []
        """Who is told when Ironic comes or goes; may be added to."""

    @property
    def ready(self) -> bool:
        """Whether Ironic answers and can drive servers."""
        return not self.problem

    def __iter__(self) -> Iterator[NodeStatus]:
        return iter(tuple(self._nodes.values()))

    def on_change(self, caller: Callable[[ObjectKey], None]) -> Callable[[], None]:
        """Call somebody with the host whose node has changed; return what ends it."""
        self._callers.append(caller)
        return lambda: self._callers.remove(caller)

    def known(self, node: NodeId, name: str) -> NodeStatus | None:
        """Return what was listed by a UUID or a name; None where there was nothing."""
        return self._nodes.get(node) or self._nodes.get(self._names.get(name, NodeId("")))

    def is_fresh(self, node: NodeId) -> bool:
        """Whether the last listing was begun after our last call about a node."""
        return self.ready and self._began > self.touched(node)

    @property
    def began(self) -> float:
        """When the last listing was asked for, by the loop's clock."""
        return self._began

    def touched(self, node: NodeId) -> float:
        """Return when something was last asked for about a node, by the loop's clock."""
        return self._touched.get(node, float("-inf"))

    def belongs(self, node: NodeId, host: ObjectKey) -> None:
        """Remember whose node it is: one that was found by its MAC address has no name of ours."""
        self._hosts[node] = host

    def touch(self, node: NodeId) -> None:
        """Note that something was asked for: what was listed before says nothing of it any more."""
        loop = asyncio.get_running_loop()
        self._touched[node] = self._stirred = loop.time()
        self._hurry.set()

    def forget(self, node: NodeId) -> None:
        """Let go of a node whose host is gone."""
        self._hosts.pop(node, None)
        self._touched.pop(node, None)

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            took = await self.look()
            await self._rest(took)

    async def look(self) -> float:
        """Ask Ironic for everything, and call for whom something has changed.

        Returns:
            How long it took.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            if self.problem and not (await self._ironic.readiness()).is_ready:
                self._away(NO_DRIVERS)
                return 0.0
            listed = await self._ironic.nodes.statuses()
        except IronicError as error:
            self._away(str(error))
            return 0.0
        self.take(listed, began=began)
        return loop.time() - began

    def take(self, listed: list[NodeStatus], *, began: float) -> None:
        """Take in a listing, and call for whom it shows something new.

        Args:
            listed: all nodes.
            began: when the listing was asked for, by the loop's clock.
        """
        self.listings += 1
        back, self.problem = bool(self.problem), ""
        before, self._nodes = self._nodes, {status.uuid: status for status in listed}
        self._names = {status.name: status.uuid for status in listed if status.name}
        self._began = began
        changed = [
            before.get(uuid) or self._nodes[uuid]
            for uuid in before.keys() | self._nodes.keys()
            if before.get(uuid) != self._nodes.get(uuid)
        ]
        if back:
            log.info("Ironic is ready, with %d nodes", len(listed))
            self._came_or_went()
        self._call(*(host for status in changed if (host := self._host(status))))
        for told in self.on_listing:
            told()

    def _away(self, problem: str) -> None:
        if self.problem != problem:
            log.warning("Ironic cannot be worked with: %s", problem)
        was_ready, self.problem = self.ready, problem
        if was_ready:
            self._came_or_went()

    def _came_or_went(self) -> None:
        for told in tuple(self.on_readiness):
            told()

    def _host(self, status: NodeStatus) -> ObjectKey | None:
        known = self._hosts.get(status.uuid)
        if known is None and status.name and "~" in status.name:
            known = ObjectKey(*status.name.split("~", 1))
        return known

    def _call(self, *hosts: ObjectKey) -> None:
        for caller in tuple(self._callers):
            for host in hosts:
                caller(host)

    async def _rest(self, took: float) -> None:
        loop = asyncio.get_running_loop()
        self._hurry.clear()
        least = self._pace.least(took)
        if not self.ready:
            await asyncio.sleep(self._pace.away)
        elif self._is_busy(loop.time()):
            await asyncio.sleep(least)
        else:
            # Something asked for by us ends the rest; what follows from it is seen a moment later.
            try:
                async with asyncio.timeout(self._pace.rest):
                    await self._hurry.wait()
            except TimeoutError:
                return
            await asyncio.sleep(least)

    def _is_busy(self, now: float) -> bool:
        return now - self._stirred < self._pace.stirred or any(
            status.provision_state.is_transient or status.target_power_state
            for status in self._nodes.values()
        )
