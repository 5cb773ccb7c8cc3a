"""Where a host's node is: by its UUID, its name or its boot MAC address, in this order.

Usually the first is enough. The others find the node of a host whose status was lost, of one made
by another operator, and of one that was made anew under another name.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.ironic.client import Ironic
from ingot.ironic.node import Node, NodeId
from ingot.ironic.ports import Port
from ingot.metal3.node.subject import Subject

__all__ = ["Found", "find"]


@dataclass(frozen=True, slots=True)
class Found:
    """What Ironic has of a host.

    Attributes:
        node: its node.
        ports: all of the node, and the one with its boot MAC address, whoever has that.
    """

    node: Node | None
    ports: tuple[Port, ...]


async def find(ironic: Ironic, subject: Subject, known: NodeId | None = None) -> Found:
    """Return a host's node with its ports.

    A node that has the boot MAC address but is named for another host is not taken: only a person
    knows which of the two hosts is right. Its port is among the ports, so registration can tell.

    Args:
        ironic: where to look.
        subject: the host.
        known: the node that it had last.

    Raises:
        IronicError: Ironic could not be asked.
    """
    node = None
    for identifier in dict.fromkeys((known or subject.node_id, subject.node_name, subject.node_id)):
        node = node or await ironic.nodes.find(identifier)
    boot = subject.boot_address
    booting = await ironic.ports.with_address(boot) if boot else []
    if node is None and booting:
        candidate = await ironic.nodes.find(booting[0].node_uuid)
        if candidate is not None and not candidate.status.name:
            node = candidate
    own = await ironic.ports.of_node(node.uuid) if node else []
    return Found(node, tuple({port.uuid: port for port in (*own, *booting)}.values()))
