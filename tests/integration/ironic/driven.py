"""Nodes on their way through a real Ironic, followed until they have arrived."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable

from ingot.ironic.client import Ironic
from ingot.ironic.document import Json
from ingot.ironic.node import Node, NodeId, NodeStatus
from ingot.ironic.states import ProvisionState, Verb


async def created(ironic: Ironic, name: str | None = None, **more: Json) -> Node:
    return await ironic.nodes.create(
        {
            "name": name or f"metal3~{uuid.uuid4()}",
            "driver": "fake-hardware",
            "driver_info": {"redfish_address": "https://10.0.0.7", "redfish_password": "hidden"},
            "properties": {"cpu_arch": "x86_64"},
            **more,
        }
    )


async def settled(
    ironic: Ironic, node: NodeId, when: Callable[[NodeStatus], bool], *, within: float = 30
) -> NodeStatus:
    async with asyncio.timeout(within):
        while True:
            status = (await ironic.nodes.get(node)).status
            if when(status):
                return status
            await asyncio.sleep(0.05)


async def reached(ironic: Ironic, node: NodeId, state: ProvisionState) -> NodeStatus:
    return await settled(
        ironic,
        node,
        lambda seen: (
            seen.provision_state is state
            and seen.target_provision_state is None
            and seen.reservation is None
        ),
    )


async def driven(ironic: Ironic, node: NodeId, verb: Verb, to: ProvisionState) -> NodeStatus:
    await ironic.driving.ask(node, verb)
    return await reached(ironic, node, to)
