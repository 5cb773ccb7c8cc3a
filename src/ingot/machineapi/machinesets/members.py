"""The Machines of a set, as far as their set is concerned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machine import Machine, ObjectReference, Phase
from ingot.machineapi.api.machineset import MachineSet
from ingot.machineapi.labels import matches
from ingot.machineapi.machines.words import MachineCondition
from ingot.machineapi.nodes import Node
from ingot.machineapi.observing import condition

__all__ = ["Member", "NodeLookup", "belongs", "is_orphan", "member"]

NodeLookup = Callable[[ObjectReference], KubeObject[Node] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One Machine of a set.

    Attributes:
        name: its name.
        created: when, as the API server wrote it: such texts sort as their times do.
        going: whether it is being deleted.
        chosen: whether somebody asked for it to go first.
        failed: whether it can get no further by itself.
        hosted: whether it has a host.
        linked: whether it has a Node.
        ready: whether that Node is ready.
        ready_for: for how many seconds it is.
        labelled: whether it carries all labels of the template.
        waits: why it has no host, if it has none.
    """

    name: str
    created: str = ""
    going: bool = False
    chosen: bool = False
    failed: bool = False
    hosted: bool = False
    linked: bool = False
    ready: bool = False
    ready_for: float = 0.0
    labelled: bool = True
    waits: str = ""


def belongs(machine: KubeObject[Machine], uid: str) -> bool:
    """Tell whether a Machine is of a set, by the set's unique id."""
    return any(one.controller and one.uid == uid for one in machine.metadata.owner_references)


def is_orphan(machine: KubeObject[Machine], spec: MachineSet) -> bool:
    """Tell whether a Machine fits a set and belongs to nobody."""
    meta = machine.metadata
    owned = any(one.controller for one in meta.owner_references)
    return not owned and not meta.is_going and matches(spec.spec.selector, meta.labels)


def member(
    machine: KubeObject[Machine],
    model: MachineSet,
    node_at: NodeLookup,
    *,
    now: datetime,
) -> Member:
    """Return what a set has to know of one of its Machines."""
    meta, status = machine.metadata, machine.model.status
    node = node_at(status.node_ref) if status.node_ref else None
    since = node.model.ready_since if node else None
    claimed = condition(status.conditions, MachineCondition.HOST_CLAIMED)
    hosted = claimed is not None and claimed.status == "True"
    return Member(
        name=meta.name,
        created=meta.creation_timestamp or "",
        going=meta.is_going,
        chosen=_any(annotation.DELETE_FIRST, meta.annotations),
        failed=status.phase == Phase.FAILED or bool(status.error_reason),
        hosted=hosted,
        linked=node is not None,
        ready=node is not None and node.model.ready,
        ready_for=(now - since) / timedelta(seconds=1) if since else 0.0,
        labelled=model.spec.template.metadata.labels.items() <= meta.labels.items(),
        waits=claimed.message if claimed is not None and not hosted else "",
    )


def _any(wanted: Iterable[str], present: Iterable[str]) -> bool:
    return not set(wanted).isdisjoint(present)
