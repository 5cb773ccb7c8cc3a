"""The cluster's Nodes as they are now, by a watch, or nothing where nobody can be asked.

This is the only part that needs the Kubernetes client, which is half of the monitor's memory and
most of the time it takes to load. So it is loaded after the VIPs are looked after.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec

from ingot.errors import IngotError
from ingot.kube.access import from_kubeconfig
from ingot.kube.changes import Change
from ingot.kube.client import EVERYWHERE, KubeClient
from ingot.kube.kind import Content, Kind
from ingot.kube.sharedwatch import SharedWatch
from ingot.onprem.model import Address, Peer, Role, family_of
from ingot.onprem.problem import OnPremError

__all__ = ["BOOTSTRAP", "NodeWatch", "peer_of"]

log = logging.getLogger(__name__)

NODE = Kind.untyped("", "v1", "Node", "nodes", namespaced=False)
CONTROL_PLANE = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
)
BOOTSTRAP = "ingot.local/bootstrap"
"""The label of the bootstrap VM while it is a Node: it is nobody's peer, and will be gone."""

SILENT_SECONDS = 4.0
"""After so long without an answer, the next server is asked."""

LOOK_SECONDS = 0.5
DEADLINE_SECONDS = 5.0


def peer_of(node: Mapping[str, Any], *, vips: Collection[Address] = ()) -> Peer:
    """Return a Node as a peer, with its first internal address of each family.

    A VIP is passed over: a kubelet that starts while its node holds one may take it for its own.

    Raises:
        OnPremError: its name is not one.
        ValueError: an address is not one.
    """
    metadata, status = node["metadata"], node.get("status", {})
    labels = metadata.get("labels", {})
    role = Role.CONTROL_PLANE if any(one in labels for one in CONTROL_PLANE) else Role.WORKER
    found: dict[int, Address] = {}
    for one in status.get("addresses", ()):
        if one["type"] == "InternalIP":
            address = ip_address(one["address"])
            if address not in vips:
                found.setdefault(family_of(address), address)
    return Peer(metadata["name"], role, tuple(found.values()))


class NodeWatch:
    """Follows the Nodes at one server after the other, as long as it can be reached.

    Attributes:
        problem: why nobody can be asked at present; "" where somebody can.
    """

    def __init__(
        self, kubeconfig: Path, servers: tuple[str, ...], vips: Collection[Address]
    ) -> None:
        self.problem = "not listed yet"
        self._kubeconfig = kubeconfig
        self._servers = servers
        self._vips = vips
        self._peers: dict[str, Peer] = {}
        self._watch: SharedWatch[Content] | None = None

    def nodes(self) -> tuple[Peer, ...] | None:
        """Return all Nodes, or None where they are not known for certain."""
        watch = self._watch
        if watch is None or not watch.synced.is_set() or watch.problem is not None:
            return None
        return tuple(self._peers.values())

    async def run(self) -> None:
        """Follow until cancelled."""
        for server in cycle(self._servers or ("",)):
            try:
                await self._follow(server)
            except IngotError as error:
                self._note(str(error))
            await asyncio.sleep(LOOK_SECONDS)

    async def _follow(self, server: str) -> None:
        """Follow at one server until it has not answered for a while."""
        access = from_kubeconfig(self._kubeconfig)
        if server:
            cluster = msgspec.structs.replace(access.cluster, server=server)
            access = access._replace(cluster=cluster)
        async with KubeClient(access, deadline=DEADLINE_SECONDS) as client:
            watch = SharedWatch(client, NODE, EVERYWHERE)
            self._peers = {}
            self._watch = watch
            watch.subscribe(self._changed)
            following = asyncio.create_task(watch.run())
            try:
                await self._until_silent(watch, access.cluster.server)
            finally:
                self._watch = None
                following.cancel()
                await asyncio.wait({following})

    async def _until_silent(self, watch: SharedWatch[Content], server: str) -> None:
        loop = asyncio.get_running_loop()
        last = loop.time()
        while loop.time() - last < SILENT_SECONDS or len(self._servers) < 2:  # noqa: PLR2004
            await asyncio.sleep(LOOK_SECONDS)
            if watch.synced.is_set() and watch.problem is None:
                last = loop.time()
                self._note("")
            else:
                self._note(f"{server}: {watch.problem or 'no answer'}")

    def _changed(self, change: Change[Content]) -> None:
        found = change.object
        if change.new is None or BOOTSTRAP in found.content["metadata"].get("labels", {}):
            self._peers.pop(found.metadata.name, None)
            return
        try:
            self._peers[found.metadata.name] = peer_of(found.content, vips=self._vips)
        except (OnPremError, ValueError, KeyError, TypeError) as error:
            log.warning("Node %s is taken as it was before: %s", found.metadata.name, error)

    def _note(self, problem: str) -> None:
        if bool(problem) != bool(self.problem):
            log.info("Nodes: %s", problem or "listed and followed")
        self.problem = problem
