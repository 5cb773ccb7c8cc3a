"""What is missing until the workers are there: a pure decision, from what one look has seen.

Their servers are claimed by Machines, and those are made by MachineSets. A set counts for all that
belongs to it; a Machine without a server says why it has none; a server says what it is doing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ingot.installer.lateness import standing_of
from ingot.installer.progress import HostProgress
from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.machineapi.machines.words import MachineCondition

__all__ = ["Fleet", "MachinesWanted", "awaited_workers", "missing_machines", "missing_workers"]

NO_SET = "no MachineSet is there"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinesWanted:
    """A MachineSet, as it is.

    Attributes:
        name: its name.
        wanted: Machines that there are to be.
        ready: those that have a ready Node.
        current: its status speaks of what was last asked for.
        error: what has to be changed before it can go on; "" if nothing.
    """

    name: str
    wanted: int
    ready: int = 0
    current: bool = True
    error: str = ""

    @classmethod
    def of(cls, found: KubeObject[Content]) -> MachinesWanted:
        """Return what a MachineSet says of itself."""
        status = found.content.get("status", {})
        return cls(
            name=found.metadata.name,
            wanted=int(found.content.get("spec", {}).get("replicas", 1)),
            ready=int(status.get("readyReplicas", 0)),
            current=int(status.get("observedGeneration", 0)) >= found.metadata.generation,
            error=str(status.get("errorMessage", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """All MachineSets, and why Machines of theirs have no server.

    Attributes:
        sets: the MachineSets.
        without_host: for each Machine that has no server, why.
    """

    sets: tuple[MachinesWanted, ...] = ()
    without_host: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, sets: Iterable[KubeObject[Content]], machines: Iterable[KubeObject[Content]]
    ) -> Fleet:
        """Return what was seen of both."""
        said = {one.metadata.name: _why_no_host(one.content) for one in machines}
        return cls(
            sets=tuple(map(MachinesWanted.of, sets)),
            without_host={name: why for name, why in said.items() if why},
        )

    @property
    def lacking(self) -> int:
        """How many Machines have yet to become ready."""
        return sum(max(one.wanted - one.ready, 0) for one in self.sets)


def _why_no_host(machine: Content) -> str:
    if machine["metadata"].get("deletionTimestamp"):
        return ""
    for one in machine.get("status", {}).get("conditions", ()):
        if one.get("type") == MachineCondition.HOST_CLAIMED and one.get("status") != "True":
            return str(one.get("message", ""))
    return ""


def missing_machines(fleet: Fleet) -> tuple[str, ...]:
    """Return what MachineSets lack, in words; nothing once they have all that they want."""
    lacking = tuple(_lacking(fleet.sets)) if fleet.sets else (NO_SET,)
    return (*lacking, *(f"{name}: {why}" for name, why in fleet.without_host.items()))


def _lacking(sets: Iterable[MachinesWanted]) -> Iterator[str]:
    for one in sets:
        why = f" ({one.error})" if one.error else ""
        if not one.current:
            yield f"{one.name}: its last change has not been acted on{why}"
        elif one.ready < one.wanted:
            yield f"{one.name}: {one.ready} of {one.wanted} machines ready{why}"


def missing_workers(fleet: Fleet, hosts: Sequence[HostProgress]) -> tuple[str, ...]:
    """Return all that is missing, in words: of MachineSets, of Machines, of servers."""
    awaited = awaited_workers(hosts, lacking=fleet.lacking)
    return (*missing_machines(fleet), *map(standing_of, awaited))


def awaited_workers(hosts: Iterable[HostProgress], *, lacking: int) -> tuple[HostProgress, ...]:
    """Return the servers that are waited for until the workers are there.

    A server that a Machine has claimed is, until its Node is Ready. Machines claim none that is not
    available, so that one that is on its way there is waited for too, unless there are enough
    others: those are spares.

    Args:
        hosts: all servers of the install.
        lacking: how many Machines have yet to become ready.
    """
    workers = [host for host in hosts if host.role == "worker"]
    unclaimed = [host.name for host in workers if not host.claimed]
    becoming = {
        host.name for host in workers if host.claimed and not (host.is_provisioned and host.joined)
    }
    needed = set(unclaimed) if len(unclaimed) <= lacking - len(becoming) else set()
    return tuple(host for host in workers if host.name in becoming | needed)
