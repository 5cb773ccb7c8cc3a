"""Which host becomes what.

Hosts are taken by their role first; those without one fill the gaps of the control plane, in the
order of the list. What is left over waits for a Machine to claim it; of these, hosts with the role
of the control plane are its spares: they take the place of a server that is given up.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.config.model import Host, InstallConfig, Role

__all__ = ["Roster", "roster"]


@dataclass(frozen=True, slots=True)
class Roster:
    """Every host, by what it becomes; both in the order of the list.

    Attributes:
        control_plane: those that become the control plane.
        others: all that are not installed at first.
        spares: the names of those of the others that may only become part of the control plane.
    """

    control_plane: tuple[Host, ...]
    others: tuple[Host, ...]
    spares: frozenset[str] = frozenset()

    @property
    def all(self) -> tuple[Host, ...]:
        """Every host, the control plane first."""
        return self.control_plane + self.others

    def leads(self, host: Host) -> bool:
        """Return whether a host becomes part of the control plane at once."""
        return any(one.name == host.name for one in self.control_plane)

    def may_lead(self, host: Host) -> bool:
        """Return whether a host becomes part of the control plane, now or in place of another."""
        return self.leads(host) or host.name in self.spares


def roster(config: InstallConfig) -> Roster:
    """Return which host becomes what."""
    hosts = config.baremetal.hosts
    wanted = config.control_plane.replicas or 0
    by_role = [host for host in hosts if host.role is Role.MASTER]
    fillers = [host for host in hosts if host.role is Role.NONE]
    chosen = {host.name for host in (*by_role, *fillers)[:wanted]}
    return Roster(
        control_plane=tuple(host for host in hosts if host.name in chosen),
        others=tuple(host for host in hosts if host.name not in chosen),
        spares=frozenset(host.name for host in by_role if host.name not in chosen),
    )
