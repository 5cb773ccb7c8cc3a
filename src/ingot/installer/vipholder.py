"""Who holds the VIP of the API, as the nodes themselves say.

Every node's monitor serves what it knows on port 9455: whether it holds a VIP, and whom it hears
holding one. The provisioner is on the same network, since it reaches the VIP there; it asks all
that could hold it, the bootstrap's VM among them, and believes who says "I do" before others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, Final

import httpx2
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from ingot.onprem.model import VipKind
from ingot.onprem.monitor.options import METRICS_PORT

__all__ = ["address_of", "holder_in", "look_for_holder"]

PATIENCE: Final = 2.0
HELD: Final = "ingot_vip_held"
HEARD: Final = "ingot_vip_holder"


def address_of(node: Mapping[str, Any]) -> str:
    """Return where a Node is reached; empty where it does not say."""
    known = node.get("status", {}).get("addresses", ())
    return next((str(one["address"]) for one in known if one["type"] == "InternalIP"), "")


def holder_in(pages: Mapping[str, str]) -> str:
    """Return who holds the API's VIP; empty where nobody says.

    Two VIPs, of IPv4 and of IPv6, may be with two nodes: then both are named.

    Args:
        pages: what each node's monitor serves, by the node's name.
    """
    held: set[str] = set()
    heard: set[str] = set()
    for name, page in pages.items():
        for sample in _samples(page):
            if sample.labels.get("kind") != VipKind.API or not sample.value:
                continue
            if sample.name == HELD:
                held.add(name)
            elif sample.name == HEARD:
                heard.add(sample.labels["node"])
    return ", ".join(sorted(held or heard))


def _samples(page: str) -> Iterable[Sample]:
    try:
        return [one for family in text_string_to_metric_families(page) for one in family.samples]
    except ValueError:
        return ()


async def look_for_holder(addresses: Mapping[str, str], *, port: int = METRICS_PORT) -> str:
    """Return who holds the API's VIP; empty where nobody answers that knows it.

    Args:
        addresses: where to ask, by the nodes' names.
        port: of their monitors.
    """
    # No proxy of the environment: nodes are not behind one.
    async with httpx2.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        pages = await asyncio.gather(
            *(_page(client, address, port) for address in addresses.values())
        )
    return holder_in({name: page for name, page in zip(addresses, pages, strict=True) if page})


async def _page(client: httpx2.AsyncClient, address: str, port: int) -> str:
    host = f"[{address}]" if ":" in address else address
    try:
        answer = await client.get(f"http://{host}:{port}/metrics")
    except (httpx2.HTTPError, OSError):
        return ""
    return answer.text if answer.status_code == httpx2.codes.OK else ""
