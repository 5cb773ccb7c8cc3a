"""The host gateway of a node: it looks, decides, and puts right what is not as decided.

The order matters when a node begins: a CNI configuration makes the node Ready and pods come, so it
is written last, when there are ways for them. Nothing is ever taken back at the end, so that it may
be killed and replaced while pods talk.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from ingot.errors import IngotError
from ingot.hostgateway import masquerade
from ingot.hostgateway.conflist import FILE_NAME
from ingot.hostgateway.decision import Decision, decide
from ingot.hostgateway.forwarding import ensure_forwarding
from ingot.hostgateway.model import node_of, versions_of
from ingot.hostgateway.options import Options
from ingot.hostgateway.routing import Unrouted
from ingot.hostgateway.standing import Standing
from ingot.hostgateway.surroundings import read_surroundings
from ingot.hostgateway.writing import apply_routes, write_if_changed
from ingot.kube.changes import Change
from ingot.kube.controller import Result
from ingot.kube.digest import Severity
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.recording import Recorder
from ingot.kube.store import Store
from ingot.process import CommandFailed

__all__ = ["NODE", "Gateway", "counts"]

log = logging.getLogger(__name__)

NODE: Final = Kind.untyped("", "v1", "Node", "nodes", namespaced=False)


def counts(change: Change[Content]) -> bool:
    """Tell whether a change of a Node is one of what we look at; most are heartbeats."""
    old, new = change.old, change.new
    return old is None or new is None or node_of(old.content) != node_of(new.content)


class Gateway:
    """Keeps one machine as its cluster needs it."""

    def __init__(
        self, options: Options, nodes: Store[Content], standing: Standing, recorder: Recorder
    ) -> None:
        self._options = options
        self._nodes = nodes
        self._standing = standing
        self._recorder = recorder
        self._told: frozenset[Unrouted] = frozenset()

    async def reconcile(self, _key: ObjectKey) -> Result:
        """Compare everything, and put right what differs.

        Raises:
            IngotError: something is in doubt or refused; what stands is left alone.
        """
        try:
            decision, refused = await self._put_right()
            self._tell(decision)
            if refused is not None:
                raise refused
        except IngotError as error:
            self._standing.problem = str(error)
            raise
        self._standing.problem = ""
        return Result.again_in(self._options.check_seconds)

    async def _put_right(self) -> tuple[Decision, CommandFailed | None]:
        # What is known of Nodes is gathered here; all that may wait for the kernel is elsewhere.
        nodes = {found.metadata.name: node_of(found.content) for found in self._nodes}
        options = self._options

        def put_right() -> tuple[Decision, CommandFailed | None]:
            here = read_surroundings(versions_of(options.cluster_networks))
            decision = decide(
                nodes,
                options.name,
                here=here,
                cluster=options.cluster_networks,
                vip=options.vip,
            )
            return decision, self._apply(decision)

        return await asyncio.to_thread(put_right)

    def _apply(self, decision: Decision) -> CommandFailed | None:
        """Put everything right; routes that were refused are no reason to leave out the rest."""
        options, standing = self._options, self._standing
        for switch in ensure_forwarding(options.sysctl_folder, decision.versions):
            log.info("forwarding was off; %s is 1 now", switch)
            standing.changed("forwarding")
        if masquerade.ensure(decision.masquerade):
            log.info("masquerade is set for %s", _listed(decision.masquerade.sources))
            standing.changed("masquerade")
        refused = self._apply_routes(decision)
        path = options.cni_folder / FILE_NAME
        if write_if_changed(path, decision.conflist):
            log.info("%s is written for %s", path, _listed(decision.masquerade.sources))
            standing.changed("conflist")
        return refused

    def _apply_routes(self, decision: Decision) -> CommandFailed | None:
        changes = decision.changes
        for route in changes.put:
            said = (route.network, route.gateway, route.link)
            log.info("pods of %s are reached by %s over %s", *said)
        for gone in changes.remove:
            log.info("the route to pods of %s is removed", gone.network)
        try:
            apply_routes(changes)
        except CommandFailed as error:
            return error
        if changes.put or changes.remove:
            self._standing.changed("routes", len(changes.put) + len(changes.remove))
        return None

    def _tell(self, decision: Decision) -> None:
        """Say once who is not reached, and once that they are again."""
        routing = decision.routing
        self._standing.found(routes=len(routing.routes), unrouted=routing.unrouted)
        now = frozenset(routing.unrouted)
        own = self._nodes.get(ObjectKey("", self._options.name))
        for one in sorted(now - self._told, key=lambda one: (one.node, one.why)):
            message = f"pods of Node {one.node} are not reached from here: {one.why}"
            log.warning(message)
            if own is not None:
                self._recorder.record(own, "PodsUnreachable", message, severity=Severity.WARNING)
        for name in sorted({one.node for one in self._told} - {one.node for one in now}):
            log.info("Node %s is no longer one whose pods are not reached", name)
        self._told = now


def _listed(networks: tuple[object, ...]) -> str:
    return ", ".join(map(str, networks))
