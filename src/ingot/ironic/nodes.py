"""Nodes as records: listed, read, made, changed and removed. None of this touches a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from urllib.parse import quote

from ingot.ironic.document import Json, members, text
from ingot.ironic.lanes import Speed
from ingot.ironic.node import Node, NodeId, NodeStatus, View
from ingot.ironic.patch import Operation, Wish, difference
from ingot.ironic.refusal import NotFoundError
from ingot.ironic.transport import Transport

__all__ = ["NodeFilter", "Nodes", "node_path"]

V = TypeVar("V", bound=View)


def node_path(node: str) -> str:
    """Return where a node is, by its UUID or name."""
    return f"/nodes/{quote(node, safe='')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFilter:
    """Which nodes to list; what is None does not matter."""

    provision_state: str | None = None
    maintenance: bool | None = None
    instance_uuid: str | None = None
    driver: str | None = None
    fault: str | None = None

    def query(self) -> dict[str, str]:
        """Return it as it is written in a query."""
        said: dict[str, str | None] = {
            "provision_state": self.provision_state,
            "maintenance": None if self.maintenance is None else str(self.maintenance).lower(),
            "instance_uuid": self.instance_uuid,
            "driver": self.driver,
            "fault": self.fault,
        }
        return {name: value for name, value in said.items() if value is not None}


class Nodes:
    """Calls about nodes as records."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def statuses(
        self, which: NodeFilter | None = None, *, page: int | None = None
    ) -> list[NodeStatus]:
        """Return what changes of all nodes: the one call that a whole site is observed by."""
        return await self._listed(NodeStatus, which, page)

    async def all(self, which: NodeFilter | None = None, *, page: int | None = None) -> list[Node]:
        """Return all nodes in full."""
        return await self._listed(Node, which, page)

    async def get(self, node: str) -> Node:
        """Return a node by its UUID or name.

        Raises:
            NotFoundError: there is none.
        """
        names = Node.fields(await self._transport.version())
        return await self._transport.call(
            "GET", node_path(node), read=_node, host=node, query={"fields": ",".join(names)}
        )

    async def find(self, node: str) -> Node | None:
        """Return a node by its UUID or name, if there is one."""
        try:
            return await self.get(node)
        except NotFoundError:
            return None

    async def create(self, fields: Mapping[str, Json]) -> Node:
        """Make a node and return it.

        With a UUID of the caller's choice, a call whose answer was lost can be made again: the
        second one then says that it exists.

        Raises:
            AlreadyExistsError: its name or UUID is taken.
        """
        host = str(fields.get("uuid") or fields.get("name") or "")
        return await self._transport.call(
            "POST", "/nodes", read=_node, host=host, body=dict(fields)
        )

    async def update(self, node: Node, wanted: Wish, *, secrets_changed: bool = False) -> Node:
        """Write what differs from a wish, if anything does, and return the node as it then is."""
        operations = difference(node.document, wanted, secrets_changed=secrets_changed)
        return await self.patch(node.uuid, operations) if operations else node

    async def patch(self, node: NodeId, operations: Sequence[Operation]) -> Node:
        """Change a node by a JSON patch and return it as it then is."""
        return await self._transport.call(
            "PATCH", node_path(node), read=_patched, host=node, body=list(operations)
        )

    async def delete(self, node: NodeId) -> None:
        """Remove a node with its ports; the server itself stays as it is."""
        await self._transport.call("DELETE", node_path(node), read=_nothing, host=node)

    async def _listed(self, view: type[V], which: NodeFilter | None, page: int | None) -> list[V]:
        """Return all nodes, over as many pages as there are.

        The next page is asked for by the last node of this one. The address that Ironic offers for
        it is not followed: behind a proxy it may name a host that cannot be reached from here.
        """
        names = view.fields(await self._transport.version())
        query = {"fields": ",".join(names), **(which or NodeFilter()).query()}
        if page:
            query["limit"] = str(page)
        found: list[V] = []
        while True:
            nodes, last = await self._transport.call(
                "GET", "/nodes", read=partial(_page, view), speed=Speed.LISTING, query=query
            )
            found.extend(nodes)
            if not last:
                return found
            query["marker"] = last


def _page(view: type[V], answer: Json) -> tuple[list[V], str]:
    """Return the nodes of a page, and the last one's UUID where another page follows."""
    documents = members(answer, "nodes")
    more = isinstance(answer, dict) and bool(answer.get("next")) and documents
    return list(map(view.read, documents)), text(documents[-1], "uuid") if more else ""


def _node(answer: Json) -> Node:
    if not isinstance(answer, dict):
        raise TypeError("the answer is no node")
    return Node.read(answer)


def _patched(answer: Json) -> Node:
    """Return a node from the answer to a patch, which still shows the lock of the patch itself."""
    if not isinstance(answer, dict):
        raise TypeError("the answer is no node")
    return Node.read({**answer, "reservation": None})


def _nothing(answer: Json) -> None:
    del answer
