"""Machines, hosts and Nodes as the watches know them at this moment."""

from __future__ import annotations

from ingot.kube.kind import ObjectKey
from ingot.machineapi.parts import Parts
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeSeen

__all__ = ["Sight"]


class Sight:
    """Looks things up.

    Args:
        parts: what all controllers share.
    """

    def __init__(self, parts: Parts) -> None:
        self._machines, self._hosts, self._nodes = parts.machines, parts.hosts, parts.nodes

    def machines(self, namespace: str = "") -> list[MachineSeen]:
        """Return all Machines, or those of a namespace."""
        store = self._machines.store
        found = store.within(namespace) if namespace else list(store)
        return [MachineSeen.of(one) for one in found]

    def host_of(self, machine: MachineSeen) -> HostSeen | None:
        """Return the host of a Machine: the one that it names, and that names it."""
        found = self._hosts.store.get(machine.host) if machine.host else None
        host = HostSeen.of(found) if found else None
        return host if host is not None and host.consumer == machine.key else None

    def named_host(self, machine: MachineSeen) -> HostSeen | None:
        """Return the host that a Machine names, whoever it belongs to by now."""
        found = self._hosts.store.get(machine.host) if machine.host else None
        return HostSeen.of(found) if found else None

    def hosts(self) -> list[HostSeen]:
        """Return all hosts."""
        return [HostSeen.of(one) for one in self._hosts.store]

    def node_of(self, machine: MachineSeen) -> NodeSeen | None:
        """Return the Node of a Machine."""
        found = self._nodes.store.get(ObjectKey("", machine.node)) if machine.node else None
        return NodeSeen.of(found) if found else None
