"""Ports: the network cards by which Ironic knows a server that boots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType
from urllib.parse import quote

from ingot.ironic.document import Json, JsonObject, flag, members, text
from ingot.ironic.lanes import Speed
from ingot.ironic.node import NodeId
from ingot.ironic.transport import Transport

__all__ = ["Port", "PortId", "Ports"]

PortId = NewType("PortId", str)
FIELDS = "uuid,address,node_uuid,pxe_enabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """A network card of a node.

    Attributes:
        uuid: its identifier.
        address: its MAC address, in lower case.
        node_uuid: whose it is.
        pxe_enabled: whether the server may boot by it.
    """

    uuid: PortId
    address: str
    node_uuid: NodeId
    pxe_enabled: bool

    @classmethod
    def read(cls, document: JsonObject) -> Port:
        """Return a port from its JSON."""
        return Port(
            uuid=PortId(text(document, "uuid")),
            address=text(document, "address").lower(),
            node_uuid=NodeId(text(document, "node_uuid")),
            pxe_enabled=flag(document, "pxe_enabled"),
        )


class Ports:
    """Calls about ports."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def all(self) -> list[Port]:
        """Return every port of every node."""
        query = {"fields": FIELDS}
        found: list[Port] = []
        while True:
            answer, more = await self._transport.call(
                "GET", "/ports", read=_page, speed=Speed.LISTING, query=query
            )
            found.extend(answer)
            if not more or not answer:
                return found
            query["marker"] = answer[-1].uuid

    async def of_node(self, node: NodeId) -> list[Port]:
        """Return the ports of a node.

        Raises:
            NotFoundError: there is no such node.
        """
        return await self._some({"node": node}, host=node)

    async def with_address(self, address: str) -> list[Port]:
        """Return the ports with a MAC address: one, or none."""
        return await self._some({"address": address}, host=address)

    async def create(self, node: NodeId, address: str, *, pxe_enabled: bool) -> Port:
        """Give a node a port.

        Raises:
            AlreadyExistsError: the address is that of another port.
        """
        return await self._transport.call(
            "POST",
            "/ports",
            read=_port,
            host=node,
            body={"node_uuid": node, "address": address, "pxe_enabled": pxe_enabled},
        )

    async def delete(self, port: Port) -> None:
        """Take a port from its node."""
        path = f"/ports/{quote(port.uuid, safe='')}"
        await self._transport.call("DELETE", path, read=_nothing, host=port.node_uuid)

    async def _some(self, query: dict[str, str], *, host: str) -> list[Port]:
        ports, _ = await self._transport.call(
            "GET", "/ports", read=_page, host=host, query={**query, "fields": FIELDS}
        )
        return ports


def _page(answer: Json) -> tuple[list[Port], bool]:
    ports = [Port.read(member) for member in members(answer, "ports")]
    return ports, isinstance(answer, dict) and bool(answer.get("next"))


def _port(answer: Json) -> Port:
    if not isinstance(answer, dict):
        raise TypeError("the answer is no port")
    return Port.read(answer)


def _nothing(answer: Json) -> None:
    del answer
