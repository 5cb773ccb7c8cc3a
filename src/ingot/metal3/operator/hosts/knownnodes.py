"""The nodes of hosts, read alone only when they must be.

A node that was read stays good while the census shows it unchanged and we asked nothing of it.
Between two looks it is kept as JSON, a tenth of what it takes as Python data.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from ingot.ironic.client import Ironic
from ingot.ironic.node import Node, NodeId, NodeStatus
from ingot.ironic.ports import Port
from ingot.kube.kind import ObjectKey
from ingot.metal3.node.finding import find
from ingot.metal3.node.subject import Subject
from ingot.metal3.operator.census import Census

__all__ = ["KnownNodes", "Sight"]


@dataclass(frozen=True, slots=True)
class Sight:
    """A node as it was seen.

    Attributes:
        node: None where Ironic has none.
        ports: its network cards; None if nobody looked.
        alone: it was read for this look, and not known from before.
    """

    node: Node | None
    ports: tuple[Port, ...] | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Kept:
    status: NodeStatus
    document: bytes


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
            before = self._from_census(host, subject, known)
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

    def changed(self, host: ObjectKey, node: NodeId) -> None:
        """Note that something was asked of a node."""
        self._census.touch(node)
        self._kept.pop(host, None)

    def forget(self, host: ObjectKey) -> None:
        """Let go of what is known for a host."""
        kept = self._kept.pop(host, None)
        self._cards.pop(host, None)
        if kept is not None:
            self._census.forget(kept.status.uuid)

    def _from_census(self, host: ObjectKey, subject: Subject, known: NodeId) -> Sight | None:
        listed = self._census.known(known or subject.node_id, subject.node_name)
        if listed is None:
            if known or not self._census.is_fresh(subject.node_id):
                return None
            # New, and so is its uid. Should its MAC address be taken, making the port tells.
            return Sight(None)
        kept = self._kept.get(host)
        if kept is None or kept.status != listed or not self._census.is_fresh(listed.uuid):
            return None
        if self._cards.get(host) != _cards(subject):
            return None
        return Sight(Node(kept.status, msgspec.json.decode(kept.document)))

    def _keep(self, host: ObjectKey, node: Node) -> None:
        self._kept[host] = _Kept(node.status, msgspec.json.encode(node.document))
        self._census.belongs(node.uuid, host)


def _cards(subject: Subject) -> tuple[str, ...]:
    return (subject.boot_address or "", *sorted(mac.lower() for mac in subject.nics))
