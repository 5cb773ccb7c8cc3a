"""How things stand, for probes and for who collects metrics."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge

from ingot.hostgateway.routing import Unrouted

__all__ = ["Standing"]


class Standing:
    """What the last comparison has found.

    Attributes:
        problem: why the network of this node's pods does not stand; "" where it does.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.problem = "not looked at yet"
        self._routes = Gauge(
            "ingot_hostgateway_routes", "Routes to pods of other nodes", registry=registry
        )
        self._unrouted = Gauge(
            "ingot_hostgateway_unrouted", "Nodes whose pods are not reached from here",
            ["node"], registry=registry,
        )  # fmt: skip
        self._changes = Counter(
            "ingot_hostgateway_changes", "What was put right", ["part"], registry=registry
        )
        for part in ("conflist", "forwarding", "masquerade", "routes"):
            self._changes.labels(part)

    def changed(self, part: str, times: int = 1) -> None:
        """Count that something was not as it should be, and now is."""
        self._changes.labels(part).inc(times)

    def found(self, *, routes: int, unrouted: Iterable[Unrouted]) -> None:
        """Note what a comparison has found."""
        self._routes.set(routes)
        self._unrouted.clear()
        for one in unrouted:
            self._unrouted.labels(one.node).set(1)
