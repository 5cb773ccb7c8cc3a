"""The nodes of hosts, read alone only when they must be.

A node that was read stays good while the census shows it unchanged and we asked nothing of it; and
for a moment also where the census is older. Between two looks it is kept as JSON, a tenth of what
it takes as Python data.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

import msgspec

from ingot.ironic.client import Ironic
from ingot.ironic.node import Node, NodeId, NodeStatus
from ingot.ironic.ports import Port
from ingot.kube.kind import ObjectKey
from ingot.metal3.node.finding import find
from ingot.metal3.node.subject import Subject
from ingot.metal3.operator.census import Census

__all__ = ["KnownNodes", "Sight"]

MOMENT_SECONDS: Final = 1.0
"""How long a node that was read alone counts as just read, as long as the census' own pace."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A node as it was seen.

    Attributes:
        node: None where Ironic has none.
        ports: its network cards; None if nobody looked.
        alone: it was read just now, and not known from before.
    """

    node: Node | None
    ports: tuple[Port, ...] | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Kept:
    status: NodeStatus
    document: bytes
    at: float

    def sight(self, *, alone: bool) -> Sight:
        return Sight(Node(self.status, msgspec.json.decode(self.document)), alone=alone)


class KnownNodes:
    """What is known of the nodes of all hosts."""

    def __init__(self, ironic: Ironic, census: Census) -> None:
        self._ironic = ironic
        self._census = census
        self._kept: dict[ObjectKey, _Kept] = {}
        self._cards: dict[ObjectKey, tuple[str, ...]] = {}

    async def look(
        self, host: ObjectKey, subject: Subject, known: NodeId, *, alone: bool = False
    ) -> Sight:
        """Return a host's node.

        Args:
            host: whose.
            subject: the host as Ironic has to know it.
            known: the node that it had last; "" if none.
            alone: read it now, whatever is known.

        Raises:
            IronicError: Ironic could not be asked.
        """
        if not alone:
            before = self._before(host, subject, known)
            if before is not None:
                return before
        if self._cards.get(host) == _cards(subject):
            node = await self._ironic.nodes.find(known or subject.node_id)
            if node is not None:
                self._keep(host, node)
                return Sight(node, alone=True)
        found = await find(self._ironic, subject, known or None)
        if found.node is None:
            self.forget(host)
            return Sight(None, found.ports, alone=True)
        self._keep(host, found.node)
        return Sight(found.node, found.ports, alone=True)

    def cards_are_right(self, host: ObjectKey, subject: Subject) -> None:
        """Note that the node's ports are as wanted: they need not be looked at again."""
        self._cards[host] = _cards(subject)

    def changed(self, host: ObjectKey, node: NodeId, shown: Node | None = None) -> None:
        """Note that something was asked of a node, and what Ironic shows of it in its answer."""
        self._census.touch(node)
        if shown is not None:
            self._keep(host, shown)
        else:
            self._kept.pop(host, None)

    def forget(self, host: ObjectKey) -> None:
        """Let go of what is known for a host."""
        kept = self._kept.pop(host, None)
        self._cards.pop(host, None)
        if kept is not None:
            self._census.forget(kept.status.uuid)

    def _before(self, host: ObjectKey, subject: Subject, known: NodeId) -> Sight | None:
        """Return what is known from before, if it still holds."""
        kept = self._kept.get(host)
        if kept is not None and self._cards.get(host) != _cards(subject):
            return None
        loop = asyncio.get_running_loop()
        if kept is not None and kept.at > max(
            self._census.began, self._census.touched(kept.status.uuid)
        ):
            just_now = loop.time() - kept.at < MOMENT_SECONDS
            lasting = not kept.status.provision_state.is_transient
            return kept.sight(alone=just_now) if just_now or lasting else None
        listed = self._census.known(known or subject.node_id, subject.node_name)
        if listed is None:
            if known or not self._census.is_fresh(subject.node_id):
                return None
            # New, and so is its uid. Should its MAC address be taken, making the port tells.
            return Sight(None)
        if kept is None or kept.status != listed or not self._census.is_fresh(listed.uuid):
            return None
        return kept.sight(alone=False)

    def _keep(self, host: ObjectKey, node: Node) -> None:
        document = msgspec.json.encode(node.document)
        self._kept[host] = _Kept(node.status, document, asyncio.get_running_loop().time())
        self._census.belongs(node.uuid, host)


def _cards(subject: Subject) -> tuple[str, ...]:
    return (subject.boot_address or "", *sorted(mac.lower() for mac in subject.nics))
