"""The decision: from the cluster's Nodes and what this machine has to what it is to have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingot.hostgateway.conflist import conflist
from ingot.hostgateway.masquerade import Masquerade
from ingot.hostgateway.model import Address, ClusterNode, Network, holds, versions_of
from ingot.hostgateway.problem import (
    CardUnknownError,
    NodeUnknownError,
    PodNetworkMissingError,
    PodNetworkOutsideError,
)
from ingot.hostgateway.routing import RouteChanges, Routing, changes, plan_routes
from ingot.hostgateway.surroundings import Surroundings

__all__ = ["Decision", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a node is to have.

    Attributes:
        versions: the families whose packets it passes on.
        masquerade: whose packets get its own address.
        routing: its routes, and who is not reached.
        changes: how its routes become that.
        conflist: its CNI configuration.
    """

    versions: tuple[int, ...]
    masquerade: Masquerade
    routing: Routing
    changes: RouteChanges
    conflist: str


def decide(
    nodes: Mapping[str, ClusterNode],
    name: str,
    *,
    here: Surroundings,
    cluster: Sequence[Network],
    vip: Address | None = None,
) -> Decision:
    """Return what a node is to have.

    Args:
        nodes: all nodes of the cluster, by name.
        name: this node's.
        here: what it has now.
        cluster: the networks of all pods.
        vip: the API's, which is no node's own address.

    Raises:
        HostGatewayError: it cannot be told for certain, so all stays as it is.
    """
    own = nodes.get(name)
    if own is None:
        raise NodeUnknownError(name)
    if not own.pod_networks:
        raise PodNetworkMissingError(name)
    for network in own.pod_networks:
        if not holds(cluster, network):
            raise PodNetworkOutsideError(name, network, cluster)
    routing = plan_routes(nodes.values(), own, here=here, cluster=cluster, vip=vip)
    return Decision(
        versions=versions_of(own.pod_networks),
        masquerade=Masquerade(own.pod_networks, tuple(cluster)),
        routing=routing,
        changes=changes(routing, here.standing),
        conflist=conflist(own.pod_networks, mtu=_mtu(own, here)),
    )


def _mtu(own: ClusterNode, here: Surroundings) -> int:
    """Return what fits through the cards that lead to the other nodes."""
    found = [card for one in own.addresses if (card := here.card_of(one)) is not None]
    if not found:
        raise CardUnknownError(own.name, own.addresses)
    return min(card.mtu for card in found)
