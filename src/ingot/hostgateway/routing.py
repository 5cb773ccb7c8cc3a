"""Which routes a node needs: to the pods of every other node, by that node's own address.

A route is only made where it can be no mistake. The pods' network has to be one of the cluster's,
so that no Node can draw other traffic to itself; and the other node has to be on a network that
this one is connected to, because a router between them would not know of pods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ingot.hostgateway.conflist import BRIDGE
from ingot.hostgateway.model import Address, ClusterNode, Network, holds
from ingot.hostgateway.surroundings import METRIC, Route, StandingRoute, Surroundings

__all__ = ["RouteChanges", "Routing", "Unrouted", "changes", "plan_routes"]


@dataclass(frozen=True, slots=True)
class Unrouted:
    """Pods that are not reached from this node.

    Attributes:
        node: whose.
        why: one sentence, that names what was seen.
    """

    node: str
    why: str


@dataclass(frozen=True, slots=True)
class Routing:
    """What a node's routes are to be."""

    routes: frozenset[Route]
    unrouted: tuple[Unrouted, ...]


@dataclass(frozen=True, slots=True)
class RouteChanges:
    """How the kernel's routes become that.

    Attributes:
        put: to be there; takes the place of one of ours to the same network.
        remove: to be gone.
    """

    put: tuple[Route, ...] = ()
    remove: tuple[StandingRoute, ...] = ()


def plan_routes(
    nodes: Iterable[ClusterNode],
    own: ClusterNode,
    *,
    here: Surroundings,
    cluster: Collection[Network],
    vip: Address | None = None,
) -> Routing:
    """Return the routes that a node needs.

    Args:
        nodes: all nodes of the cluster; this one may be among them.
        own: this one.
        here: what this machine has.
        cluster: the networks of all pods.
        vip: the API's, which is no node's own address.
    """
    planning = _Planning(own, here, cluster, vip)
    for node in sorted(nodes, key=lambda node: node.name):
        if node.name != own.name:
            planning.take(node)
    return Routing(frozenset(planning.found.values()), tuple(planning.unrouted))


def changes(routing: Routing, standing: Collection[StandingRoute]) -> RouteChanges:
    """Return how the routes that stand become those that are needed."""
    kept, stands = {route.network for route in routing.routes}, set(standing)
    missing = [route for route in routing.routes if StandingRoute.of(route) not in stands]
    return RouteChanges(
        put=tuple(sorted(missing, key=lambda one: (one.network.version, one.network))),
        remove=tuple(one for one in standing if one.network not in kept or one.metric != METRIC),
    )


class _Planning:
    """Goes through the nodes one by one."""

    def __init__(
        self,
        own: ClusterNode,
        here: Surroundings,
        cluster: Collection[Network],
        vip: Address | None,
    ) -> None:
        self.found: dict[Network, Route] = {}
        self.unrouted: list[Unrouted] = []
        self._own = own
        self._here = here
        self._cluster = cluster
        self._vip = vip
        self._owners: dict[Network, str] = {}
        self._stands = {(one.network, one.gateway) for one in here.standing}

    def take(self, node: ClusterNode) -> None:
        for text in node.unreadable:
            self._leave(node, f"{text!r} is neither a network nor an address")
        for network in node.pod_networks:
            try:
                self._claim(node, self._route(node, network))
            except _NotRoutedError as error:
                self._leave(node, f"{network}: {error}")

    def _route(self, node: ClusterNode, network: Network) -> Route:
        if not holds(self._cluster, network):
            raise _NotRoutedError("is not within the cluster networks")
        if any(network.overlaps(one) for one in self._own.pod_networks if _alike(one, network)):
            raise _NotRoutedError(f"overlaps with that of {self._own.name}, this node")
        gateway = node.address(network.version, rather_not=self._vip)
        if gateway is None:
            raise _NotRoutedError(f"the node has no internal IPv{network.version} address")
        if self._here.card_of(gateway) is not None:
            raise _NotRoutedError(f"its address {gateway} is one of this node")
        link = self._link_to(gateway)
        if link is None:
            raise _NotRoutedError(f"its address {gateway} is on no network of this node")
        return Route(network, gateway, link)

    def _link_to(self, gateway: Address) -> str | None:
        """Return the card that leads to a machine nearby; of several, that of our own address."""
        own = self._own.address(gateway.version, rather_not=self._vip)
        card = self._here.card_of(own) if own is not None else None
        near = [
            one for one in self._here.connected if gateway in one.network and one.link != BRIDGE
        ]
        best = min(
            near,
            key=lambda one: (
                -one.network.prefixlen,
                card is None or one.link != card.name,
                one.metric,
                one.link,
            ),
            default=None,
        )
        return best.link if best is not None else None

    def _claim(self, node: ClusterNode, route: Route) -> None:
        """Give a network to one node. Where two say that it is theirs, what stands is kept."""
        before = self.found.get(route.network)
        if before is None:
            self.found[route.network], self._owners[route.network] = route, node.name
            return
        owner = self._owners[route.network]
        stands = (route.network, route.gateway) in self._stands
        if stands and (before.network, before.gateway) not in self._stands:
            self.found[route.network], self._owners[route.network] = route, node.name
            self.unrouted.append(Unrouted(owner, f"{route.network}: belongs to {node.name} too"))
        else:
            self._leave(node, f"{route.network}: belongs to {owner} too")

    def _leave(self, node: ClusterNode, why: str) -> None:
        self.unrouted.append(Unrouted(node.name, why))


class _NotRoutedError(Exception):
    """Why a network is left out."""


def _alike(one: Network, other: Network) -> bool:
    return one.version == other.version
