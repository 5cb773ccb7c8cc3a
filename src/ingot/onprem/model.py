"""A node's situation, as values: the cluster it belongs to, itself, and the nodes beside it.

All are immutable and checked when made, so that whatever is rendered from one is whole. A cluster
has one or two VIPs of each kind, of different families. A node's peers include the node itself once
it belongs to the cluster: being on that list is what allows it to speak VRRP at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)

from ingot.onprem.problem import DuplicatePeerError, NameTooLongError, VipOutsideError

__all__ = [
    "Address",
    "Cluster",
    "Family",
    "Network",
    "OwnAddress",
    "Peer",
    "Role",
    "Situation",
    "VipKind",
    "check_distinct",
    "family_of",
]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LABEL_LIMIT = 63
"""RFC 1035, one label of a name."""

NAME_LIMIT = 253
"""RFC 1035, a name as text."""

INTERFACE_LIMIT = 15
"""The kernel's IFNAMSIZ, without the byte that ends it."""


class Role(StrEnum):
    """What a node is in its cluster."""

    BOOTSTRAP = "bootstrap"
    CONTROL_PLANE = "control-plane"
    WORKER = "worker"


class VipKind(StrEnum):
    """What a VIP is for."""

    API = "api"
    INGRESS = "ingress"


class Family(IntEnum):
    """An IP version."""

    IPV4 = 4
    IPV6 = 6


def family_of(address: Address | Network) -> Family:
    """Return the IP version of an address or network."""
    return Family(address.version)


@dataclass(frozen=True, slots=True)
class OwnAddress:
    """The address by which this node is known in one family, and where it is.

    Attributes:
        interface: the network card's name.
        within: the address with its prefix length.
    """

    interface: str
    within: IPv4Interface | IPv6Interface

    def __post_init__(self) -> None:
        _limit("the network card's name", self.interface, INTERFACE_LIMIT)

    @property
    def address(self) -> Address:
        """The address alone."""
        return self.within.ip

    @property
    def network(self) -> Network:
        """The network it is on."""
        return self.within.network

    @property
    def family(self) -> Family:
        """Its IP version."""
        return family_of(self.address)


@dataclass(frozen=True, slots=True, order=True)
class Peer:
    """A node of the cluster as others see it.

    Attributes:
        name: its name as a Node.
        role: what it is; the bootstrap is never a peer.
        addresses: at most one of each family.
    """

    name: str
    role: Role
    addresses: tuple[Address, ...]

    def __post_init__(self) -> None:
        _check_name("the node name", self.name)
        if len({family_of(one) for one in self.addresses}) != len(self.addresses):
            raise DuplicatePeerError(
                f"a family of {', '.join(map(str, self.addresses))}", [self.name]
            )

    def address(self, family: Family) -> Address | None:
        """Return its address of a family, if it has one."""
        return next((one for one in self.addresses if family_of(one) == family), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What all nodes of a cluster agree on from the first second.

    Attributes:
        name: the cluster's name, from which router ids follow.
        domain: the cluster's domain, its name included.
        api_vips: one or two addresses of different families.
        ingress_vips: likewise.
        user_managed_balancer: the VIPs belong to a load balancer outside; no node holds one.
        external_dns: `api`, `api-int` and `*.apps` are answered elsewhere.
        dns_clients: who besides the node's own networks may ask its DNS, as the pods have to.
    """

    name: str
    domain: str
    api_vips: tuple[Address, ...]
    ingress_vips: tuple[Address, ...]
    user_managed_balancer: bool = False
    external_dns: bool = False
    dns_clients: tuple[Network, ...] = ()

    def __post_init__(self) -> None:
        _limit("the cluster name", self.name, LABEL_LIMIT)
        _check_name("the cluster's domain", f"api-int.{self.domain}")
        if not self.user_managed_balancer:
            both = sorted(map(str, set(self.api_vips) & set(self.ingress_vips)))
            if both:
                raise DuplicatePeerError(f"VIP {both[0]}", ["API", "ingress"])

    def vips(self, kind: VipKind) -> tuple[Address, ...]:
        """Return the VIPs of a kind."""
        return self.api_vips if kind is VipKind.API else self.ingress_vips

    @property
    def all_vips(self) -> tuple[Address, ...]:
        """Every VIP, the API's first, none twice."""
        return tuple(dict.fromkeys((*self.api_vips, *self.ingress_vips)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that a node's files are rendered from.

    Attributes:
        cluster: what it belongs to.
        name: its own name as a Node.
        role: what it is.
        own: its own address in each family it has.
        peers: all nodes that are known, itself included where it is one; never half a list.
    """

    cluster: Cluster
    name: str
    role: Role
    own: tuple[OwnAddress, ...]
    peers: tuple[Peer, ...]

    def __post_init__(self) -> None:
        _check_name("the node name", self.name)
        check_distinct(self.peers)
        if self.cluster.user_managed_balancer:
            return
        for vip in self.cluster.all_vips:
            own = self.own_of(family_of(vip))
            if own is None or vip not in own.network:
                raise VipOutsideError(vip, [one.network for one in self.own])

    def own_of(self, family: Family) -> OwnAddress | None:
        """Return its own address of a family, if it has one."""
        return next((one for one in self.own if one.family == family), None)

    @property
    def is_member(self) -> bool:
        """Whether the cluster knows this node by the addresses that it has."""
        mine = {one.address for one in self.own}
        return any(
            peer.name == self.name and mine.issuperset(peer.addresses) and peer.addresses
            for peer in self.peers
        )

    def others(self, *roles: Role) -> tuple[Peer, ...]:
        """Return the peers of some roles without this node itself, in a fixed order."""
        return tuple(
            sorted(peer for peer in self.peers if peer.role in roles and peer.name != self.name)
        )

    def control_plane(self) -> tuple[Peer, ...]:
        """Return the control plane, this node included where it is part of it."""
        return tuple(sorted(peer for peer in self.peers if peer.role is Role.CONTROL_PLANE))


def check_distinct(peers: Iterable[Peer]) -> None:
    """Check that no two peers share a name or an address.

    Raises:
        DuplicatePeerError: two do.
    """
    seen: dict[str, str] = {}
    for peer in peers:
        for key in (f"the name {peer.name}", *(f"the address {one}" for one in peer.addresses)):
            if key in seen:
                raise DuplicatePeerError(key, [seen[key], peer.name])
            seen[key] = peer.name


def _limit(what: str, name: str, limit: int) -> None:
    if len(name) > limit:
        raise NameTooLongError(what, name, limit=limit)


def _check_name(what: str, name: str) -> None:
    _limit(what, name, NAME_LIMIT)
    for label in name.split("."):
        _limit(f"a part of {what}", label, LABEL_LIMIT)
