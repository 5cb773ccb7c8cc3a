"""What the bootstrap sees of the servers and of the nodes that they become."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ingot.ironic.states import ProvisionState
from ingot.kube.client import KubeClient, Selection
from ingot.kube.errors import NotFound
from ingot.kube.kind import Kind, ObjectKey
from ingot.node.bootstrap.gate import Standing
from ingot.node.bootstrap.sending import cards_of, read_shares
from ingot.node.bootstrap.telling import CONFIG_MAPS, NAMESPACE
from ingot.node.etcd import Etcd, EtcdError, Member
from ingot.onprem.monitor.asking import is_ready

__all__ = [
    "BARE_METAL_HOSTS",
    "NODES",
    "hosts_text",
    "look_at_hosts",
    "look_at_nodes",
    "takes_image",
]

BARE_METAL_HOSTS = Kind.untyped("metal3.io", "v1alpha1", "BareMetalHost", "baremetalhosts")
NODES = Kind.untyped("", "v1", "Node", "nodes", namespaced=False)

API_PORT = 6443
BALANCER_PORT = 9445
PROVISIONING = "provisioning"
PROVISIONED = "provisioned"

Row = dict[str, object]


async def look_at_hosts(client: KubeClient, namespace: str, names: Sequence[str]) -> list[Row]:
    """Return how each of some servers is, with the share of the image that it has taken."""
    page = await client.list(BARE_METAL_HOSTS, Selection(namespace))
    found = {one.metadata.name: one.content for one in page.objects}
    written = {
        name: cards_of(host) for name, host in found.items() if name in names and takes_image(host)
    }
    shares = await asyncio.to_thread(read_shares, written)
    return [_row(name, found.get(name), shares.get(name)) for name in names]


def takes_image(host: Mapping[str, Any]) -> bool:
    """Return whether what a server fetches now is its image.

    It fetches its ramdisk from the same web server before that. While it boots, the operator says
    what is waited for; from then on, that Ironic waits for the agent.
    """
    status = host.get("status", {})
    if status.get("provisioning", {}).get("state") != PROVISIONING:
        return False
    said = (one for one in status.get("conditions", ()) if one.get("type") == "Progressing")
    return any(one.get("message") == ProvisionState.DEPLOY_WAIT for one in said)


def _row(name: str, host: Mapping[str, Any] | None, share: float | None) -> Row:
    if host is None:
        return {"name": name, "state": "missing", "error": f"there is no BareMetalHost {name}"}
    status = host.get("status", {})
    provisioning = status.get("provisioning", {})
    return {
        "name": name,
        "state": provisioning.get("state") or "new",
        "power": "on" if status.get("poweredOn") else "off",
        "error": status.get("errorMessage", ""),
        "errorType": status.get("errorType", ""),
        "errorCount": status.get("errorCount", 0),
        # In hundredths, so that what is told changes no more often than what is shown.
        "share": None if share is None else round(share, 2),
    }


def hosts_text(rows: Iterable[Row]) -> str:
    """Return in a line how servers are."""
    return ", ".join(f"{row['name']} {row['state']}" for row in rows)


async def look_at_nodes(
    client: KubeClient, etcd: Etcd, own_etcd: str, names: Sequence[str]
) -> list[Standing]:
    """Return how far each server is on its way into the control plane."""
    page = await client.list(NODES)
    nodes = {one.metadata.name: one.content for one in page.objects}
    try:
        members = {one.name: one for one in await etcd.members(own_etcd)}
    except EtcdError:
        members = {}
    return [
        await _standing(client, etcd, nodes.get(name), members.get(name), name) for name in names
    ]


async def _standing(
    client: KubeClient,
    etcd: Etcd,
    node: Mapping[str, Any] | None,
    member: Member | None,
    name: str,
) -> Standing:
    if node is None:
        return Standing(name=name, reported=await _reported(client, name))
    address = _address(node)
    votes = member is not None and not member.learner and bool(member.urls)
    return Standing(
        name=name,
        joined=True,
        ready=_is_ready(node),
        votes=votes and member is not None and await etcd.is_healthy(member.urls[0]),
        serves=bool(address) and await is_ready(address, API_PORT, "/readyz", tls=True),
        balances=bool(address) and await is_ready(address, BALANCER_PORT, "/readyz", tls=True),
    )


def _address(node: Mapping[str, Any]) -> str:
    known = node.get("status", {}).get("addresses", ())
    return next((str(one["address"]) for one in known if one["type"] == "InternalIP"), "")


def _is_ready(node: Mapping[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


async def _reported(client: KubeClient, name: str) -> str:
    """Return what a server said last of its joining."""
    try:
        found = await client.get(CONFIG_MAPS, ObjectKey(NAMESPACE, f"node-{name}-join"))
        return str(json.loads(found.content["data"]["status"]).get("message", ""))
    except (NotFound, KeyError, ValueError):
        return ""
