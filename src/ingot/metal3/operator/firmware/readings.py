"""When each host was read last, and what follows from that without looking into any object.

A controller is called for whenever anything of a node changes. Most of that is nothing to it, and
is to cost next to nothing.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import Final

from ingot.ironic.node import NodeId, NodeStatus
from ingot.kube.controller import Result
from ingot.kube.kind import ObjectKey
from ingot.metal3.operator.census import Census
from ingot.metal3.operator.firmware.reading import (
    REST,
    Reading,
    is_verified,
    stamp_of,
    until_next,
)

__all__ = ["Readings"]


BREATH: Final = 30.0
"""Seconds that an operator has after its start for what matters more."""


@dataclass(frozen=True, slots=True)
class _Entry:
    reading: Reading
    node: NodeId
    asked: bool
    mark: str


class Readings:
    """The last reading of each host."""

    def __init__(self, census: Census) -> None:
        self._census = census
        self._entries: dict[ObjectKey, _Entry] = {}

    def idle(self, key: ObjectKey, mark: str) -> Result | None:
        """Return when to look again, if there is nothing to do for a host; None if there may be.

        Args:
            key: the host.
            mark: tells whether the object is the one that was noted.
        """
        entry = self._entries.get(key)
        if entry is None or entry.mark != mark:
            return None
        node = self._census.known(entry.node, "")
        if not self._census.ready or node is None or not is_verified(node):
            return Result.done()
        wait = self.wait(key, node, asked=entry.asked)
        if wait is None:
            return Result.done()
        return Result.again_in(wait) if wait > 0 else None

    def wait(self, key: ObjectKey, node: NodeStatus, *, asked: bool) -> float | None:
        """Return in how many seconds to ask; None: not before the node has changed."""
        entry = self._entries.get(key)
        reading = entry.reading if entry else None
        return until_next(reading, node, asked=asked, now=_now())

    def note(self, key: ObjectKey, node: NodeStatus, *, asked: bool, mark: str) -> None:
        """Remember that Ironic was asked just now."""
        reading = Reading(stamp=stamp_of(node), at=_now())
        self._entries[key] = _Entry(reading, node.uuid, asked, mark)

    def mark(self, key: ObjectKey, *, asked: bool, mark: str) -> None:
        """Remember which object was looked at, where Ironic did not have to be asked."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries[key] = _Entry(entry.reading, entry.node, asked, mark)

    def inherit(self, key: ObjectKey, node: NodeStatus, *, asked: bool, mark: str) -> None:
        """Take over what an operator before us has read, if nothing is known here.

        When that was is drawn, so that not all hosts are read again in one go.
        """
        if key not in self._entries:
            reading = Reading(stamp="", at=_now() - random.uniform(0, REST - BREATH))  # noqa: S311 - no secret
            self._entries[key] = _Entry(reading, node.uuid, asked, mark)

    def has(self, key: ObjectKey, mark: str) -> bool:
        """Return whether a host was read for such an object."""
        entry = self._entries.get(key)
        return entry is not None and entry.mark == mark

    def forget(self, key: ObjectKey) -> None:
        """Let the next look be as the first."""
        self._entries.pop(key, None)


def _now() -> float:
    return asyncio.get_running_loop().time()
