"""What a request is held against: the Machine, host and Node that it names, and the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Network, IPv6Network, ip_address

from ingot.kube.kind import ObjectKey
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeSeen

__all__ = ["Policy", "Subject", "World"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the site allows.

    Attributes:
        networks: where Nodes have their addresses. One that is in here, and nobody else's, may be
            taken by a Node although inspection has not seen it; with none, that is not allowed.
        reserved: addresses that no Node may have for its own, such as the VIPs.
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    reserved: frozenset[str] = frozenset()

    def covers(self, address: str) -> bool:
        """Tell whether an address is one that a Node may have."""
        return any(ip_address(address) in network for network in self.networks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Whom a request is about; what is not there is None."""

    machine: MachineSeen | None = None
    host: HostSeen | None = None
    node: NodeSeen | None = None

    @property
    def addresses(self) -> frozenset[str]:
        """All addresses that are known to be its own, without asking it."""
        machine = self.machine.addresses if self.machine else frozenset()
        return machine | (self.host.addresses if self.host else frozenset())

    @property
    def names(self) -> frozenset[str]:
        """All host names that are its own."""
        machine = self.machine.names if self.machine else frozenset()
        return machine | (frozenset({self.node.name.lower()}) if self.node else frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that there is, at one moment."""

    machines: Mapping[ObjectKey, MachineSeen]
    hosts: Mapping[ObjectKey, HostSeen]
    nodes: Mapping[str, NodeSeen]
    now: datetime
    policy: Policy = Policy()

    def of_host(self, name: str) -> Subject:
        """Return what is known of the host of a name, which its Node has too.

        Two hosts of the same name, in two namespaces, are none: which one asks cannot be told.
        """
        named = [one for one in self.hosts.values() if one.key.name == name]
        host = named[0] if len(named) == 1 else None
        machine = self.machines.get(host.consumer) if host and host.consumer else None
        if machine is not None and (host is None or machine.host != host.key):
            machine = None
        return Subject(machine=machine, host=host, node=self.nodes.get(name))

    def of_node(self, name: str) -> Subject:
        """Return what is known of a Node, by the Machine that says that it is its own."""
        claiming = [one for one in self.machines.values() if one.node == name]
        machine = claiming[0] if len(claiming) == 1 else None
        host = self.hosts.get(machine.host) if machine and machine.host else None
        if host is not None and (machine is None or host.consumer != machine.key):
            host = None
        return Subject(machine=machine, host=host, node=self.nodes.get(name))

    def held(self, subject: Subject) -> frozenset[str]:
        """Return the addresses that other Nodes have now, whether or not they are ready."""
        return _all(one.addresses for one in self._other_nodes(subject))

    def taken(self, subject: Subject) -> frozenset[str]:
        """Return the addresses that are somebody else's for certain: VIPs, and of ready Nodes."""
        return self.policy.reserved | _all(
            one.addresses for one in self._other_nodes(subject) if one.ready
        )

    def found_elsewhere(self, subject: Subject) -> frozenset[str]:
        """Return the addresses that inspection found on other hosts.

        Those of a host that has become a Node do not count: a lease may have gone to somebody else
        since, and what the Node has now is known.
        """
        own_machine = subject.machine.key if subject.machine else None
        own_host = subject.host.key if subject.host else None
        return _all(
            one.addresses
            for one in self.machines.values()
            if one.key != own_machine and one.node not in self.nodes
        ) | _all(
            one.addresses
            for one in self.hosts.values()
            if one.key != own_host and not self._runs_a_node(one)
        )

    def _other_nodes(self, subject: Subject) -> Iterable[NodeSeen]:
        own = subject.node.name if subject.node else None
        return (one for name, one in self.nodes.items() if name != own)

    def _runs_a_node(self, host: HostSeen) -> bool:
        if host.key.name in self.nodes:
            return True
        machine = self.machines.get(host.consumer) if host.consumer else None
        return machine is not None and machine.host == host.key and machine.node in self.nodes


def _all(several: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*several)
