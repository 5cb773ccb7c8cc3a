"""A bootstrap and control-plane nodes that start, stop and start anew at one site."""

from __future__ import annotations

import asyncio
import shutil

from ingot.machine import namespaces
from ingot.onprem.heard import listen
from ingot.onprem.model import Family
from ingot.onprem.vrid import HeardAdvert
from tests.e2e.site import eventually
from tests.integration.onprem.monitored import Monitored
from tests.onprem_site.node import Node
from tests.onprem_site.nodestore import NodeStore
from tests.onprem_site.observation import Nodes, spans
from tests.onprem_site.plan import Role
from tests.onprem_site.prober import Prober


def blank(found: Monitored) -> None:
    """Let every node be as new: nothing runs, nothing is known, and the API knows all planned."""
    for node in found.site.of():
        found.faults.power_off(node.name)
        found.faults.power_on(node.name)
        shutil.rmtree(node.folder / "state", ignore_errors=True)
        (node.folder / "done").unlink(missing_ok=True)
    found.api.clear()
    found.monitors.clear()
    found.options = {}
    found.store = NodeStore.made(found.store.path)
    found.store.join(*found.planned())


def bootstrap_of(found: Monitored) -> Node:
    (node,) = found.site.of("", Role.BOOTSTRAP)
    return node


def wait_for_states(found: Monitored, state: str, *nodes: Node) -> None:
    """Wait until nodes are in a state for the API's VIP, by what their monitors say."""
    eventually(
        lambda: all(found.standing(one, found.api_vip).get("state") == state for one in nodes),
        within=60,
        every=0.1,
    )


def established(found: Monitored) -> None:
    """Have the bootstrap hold the API's VIP and the control plane wait for it, all serving."""
    bootstrap, control = bootstrap_of(found), found.site.of("", Role.CONTROL)
    found.serve(*(one for one in (bootstrap, *control) if one.name not in found.api))
    found.watch_over(*(one for one in (bootstrap, *control) if one.name not in found.monitors))
    wait_for_states(found, "backup", *control)
    wait_for_states(found, "master", bootstrap)


def holders_since(found: Monitored, seen: Prober, moment: float) -> list[Nodes]:
    """Return who held the API's VIP since a moment, one after the other; also nobody."""
    looks = [look for look in seen.read() if look.at >= moment]
    return [span.holders for span in spans(looks, str(found.api_vip))]


def hears_an_advert(node: Node) -> HeardAdvert:
    """Return the next VRRP advert that reaches a node."""

    async def first() -> HeardAdvert:
        async with asyncio.timeout(20):
            async for advert in listen("eth0", Family.IPV4):
                return advert
        raise AssertionError

    return namespaces.inside(node.namespace, lambda: asyncio.run(first()))


def peers_in_file(node: Node) -> set[str]:
    """Return whom a node's keepalived is told to speak to about the API."""
    text = (node.folder / "run/onprem/keepalived.conf").read_text()
    block = text.partition("_API_0")[2].partition("unicast_peer {")[2].partition("}")[0]
    return set(block.split())
