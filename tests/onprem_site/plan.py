"""Who is at a site, and with which addresses: each has its number, and everything follows from it.

Sites do not see each other, so all of them use the same addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

NETWORK_V4 = IPv4Network("10.88.0.0/24")
NETWORK_V6 = IPv6Network("fd88::/64")

FAR_V4 = IPv4Address("198.51.100.7")
FAR_V6 = IPv6Address("2001:db8::7")
"""More addresses of the client, on no network of the nodes: what it is seen as from elsewhere."""

Address = IPv4Address | IPv6Address


class Families(Enum):
    """Which kinds of addresses there are."""

    V4 = (4,)
    V6 = (6,)
    DUAL = (4, 6)

    def __contains__(self, version: int) -> bool:
        return version in self.value


class Role(Enum):
    """What a member of a site is for."""

    CLIENT = "client"
    OBSERVER = "observer"
    BOOTSTRAP = "bootstrap"
    CONTROL = "control"
    WORKER = "worker"


FIRST_NUMBER = {Role.BOOTSTRAP: 10, Role.CONTROL: 20, Role.WORKER: 30}


def addresses(number: int, families: Families) -> tuple[Address, ...]:
    """Return the addresses that belong to a number."""
    both: tuple[Address, ...] = (NETWORK_V4[number], NETWORK_V6[number])
    return tuple(address for address in both if address.version in families)


@dataclass(frozen=True)
class Seat:
    """A place at the site.

    Attributes:
        name: the name of its node, unlike all others at this site.
        role: what it is for.
        cluster: the cluster it belongs to; empty for those outside.
        number: unlike all others at this site.
        families: which addresses it has.
    """

    name: str
    role: Role
    cluster: str
    number: int
    families: Families

    @property
    def mac(self) -> str:
        return f"02:88:00:00:00:{self.number:02x}"

    @property
    def port(self) -> str:
        """The link on the bridge."""
        return f"p{self.number}"

    @property
    def detour(self) -> str:
        """The link that is on the bridge instead, while packets are delayed."""
        return f"d{self.number}"

    @property
    def addresses(self) -> tuple[Address, ...]:
        return addresses(self.number, self.families)

    @property
    def address(self) -> Address:
        """The first one."""
        return self.addresses[0]


@dataclass(frozen=True)
class Cluster:
    """A cluster with its VIPs."""

    name: str
    index: int
    families: Families

    @property
    def api_vips(self) -> tuple[Address, ...]:
        return addresses(100 * self.index + 5, self.families)

    @property
    def ingress_vips(self) -> tuple[Address, ...]:
        return addresses(100 * self.index + 4, self.families)

    def seat(self, role: Role, index: int = 0) -> Seat:
        """Return a place for one of its nodes."""
        prefix = f"{self.name}-" if self.index else ""
        name = role.value if role is Role.BOOTSTRAP else f"{role.value}-{index}"
        number = 100 * self.index + FIRST_NUMBER[role] + index
        return Seat(f"{prefix}{name}", role, self.name, number, self.families)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a site starts with.

    Attributes:
        families: which addresses everybody has.
        clusters: all in the one broadcast domain; nodes of the first have plain names, nodes of
            the others are named after their cluster too.
        bootstrap: whether each has a bootstrap node.
        control: how many control-plane nodes each has.
        workers: how many workers each has.
        clocks: whether each node has a clock of its own, which can be set.
    """

    families: Families = Families.V4
    clusters: tuple[str, ...] = ("one",)
    bootstrap: bool = True
    control: int = 3
    workers: int = 2
    clocks: bool = False

    @cached_property
    def all_clusters(self) -> tuple[Cluster, ...]:
        return tuple(
            Cluster(name, index, self.families) for index, name in enumerate(self.clusters)
        )

    @cached_property
    def client(self) -> Seat:
        """An ordinary neighbour, hit by faults as all are; it is everybody's gateway too."""
        return Seat("client", Role.CLIENT, "", 1, self.families)

    @cached_property
    def observer(self) -> Seat:
        """Sees everybody, whatever is wrong between them."""
        return Seat("observer", Role.OBSERVER, "", 2, self.families)

    @property
    def nodes(self) -> tuple[Seat, ...]:
        """The nodes of all clusters."""
        return tuple(
            cluster.seat(role, index)
            for cluster in self.all_clusters
            for role, count in (
                (Role.BOOTSTRAP, int(self.bootstrap)),
                (Role.CONTROL, self.control),
                (Role.WORKER, self.workers),
            )
            for index in range(count)
        )

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Everybody."""
        return (self.client, self.observer, *self.nodes)
