"""What counts of a Node: its name, the networks of its pods, and where it is reached.

Reading one never fails. What cannot be read is left out and named, since one odd Node must not
keep a node from reaching all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Any, TypeVar

__all__ = ["Address", "ClusterNode", "Network", "holds", "node_of", "versions_of"]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A node as its cluster knows it.

    Attributes:
        name: its name.
        pod_networks: of which its pods have their addresses; at most one of each family.
        addresses: its internal ones, the preferred first.
        unreadable: what it says of itself that is neither.
    """

    name: str
    pod_networks: tuple[Network, ...] = ()
    addresses: tuple[Address, ...] = ()
    unreadable: tuple[str, ...] = ()

    def address(self, version: int, *, rather_not: Address | None = None) -> Address | None:
        """Return where it is reached in a family.

        Args:
            version: 4 or 6.
            rather_not: the API's VIP; a kubelet that began while its node held it may name it too.
        """
        found = [one for one in self.addresses if one.version == version]
        return min(found, key=lambda one: one == rather_not, default=None)


def node_of(content: Mapping[str, Any]) -> ClusterNode:
    """Return what counts of a Node."""
    spec, status = content.get("spec") or {}, content.get("status") or {}
    written = spec.get("podCIDRs") or [spec.get("podCIDR")]
    listed = status.get("addresses") or ()
    unreadable: list[str] = []
    return ClusterNode(
        name=content["metadata"]["name"],
        pod_networks=tuple(_each(written, ip_network, unreadable)),
        addresses=tuple(
            _each(
                (one.get("address") for one in listed if one.get("type") == "InternalIP"),
                ip_address,
                unreadable,
            )
        ),
        unreadable=tuple(unreadable),
    )


def _each(
    texts: Iterable[str | None], read: Callable[[str], T], unreadable: list[str]
) -> Iterator[T]:
    for text in texts:
        if not text:
            continue
        try:
            yield read(text)
        except ValueError:
            unreadable.append(text)


def versions_of(networks: Iterable[Network]) -> tuple[int, ...]:
    """Return the families that some networks have, 4 and 6 at most."""
    return tuple(sorted({network.version for network in networks}))


def holds(networks: Iterable[Network], inner: Network) -> bool:
    """Tell whether one of some networks has all of another within it."""
    return any(
        outer.version == inner.version
        and outer.prefixlen <= inner.prefixlen
        and inner.network_address in outer
        for outer in networks
    )
