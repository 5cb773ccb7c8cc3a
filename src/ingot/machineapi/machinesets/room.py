"""The controller of MachineSets.

What is known here may be a moment old. Before Machines are made or deleted they are therefore
listed anew: so none is made twice, and none too many is deleted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ingot.kube.changes import annotations_changed, any_of, generation_changed
from ingot.kube.client import Selection
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.errors import Conflict, NotFound
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machine import Machine, ObjectReference
from ingot.machineapi.api.machineset import MachineSet, MachineSetStatus
from ingot.machineapi.hosts import Host
from ingot.machineapi.kinds import MACHINE, MACHINE_SET
from ingot.machineapi.machinesets.autoscaling import replicas_for
from ingot.machineapi.machinesets.counting import (
    SetReason,
    counted,
    judge,
    mistaken,
    next_available,
)
from ingot.machineapi.machinesets.making import made, owner
from ingot.machineapi.machinesets.members import Member, belongs, is_orphan, member
from ingot.machineapi.machinesets.ranking import first_to_go
from ingot.machineapi.nodes import Node
from ingot.machineapi.observing import Observation, difference, is_news
from ingot.machineapi.parts import Parts

__all__ = ["MachineSetRoom"]

AT_ONCE: Final = 50
"""How many Machines are made or deleted in one turn; more are left for the next."""


@dataclass(frozen=True, slots=True)
class _Crew:
    """The Machines of a set, and what it has to know of each."""

    machines: tuple[KubeObject[Machine], ...]
    members: tuple[Member, ...]

    @property
    def staying(self) -> frozenset[ObjectKey]:
        return frozenset(one.key for one in self.machines if not one.metadata.is_going)


class MachineSetRoom:
    """MachineSets."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._sets = parts.sets
        self._machines = parts.machines
        self._hosts = parts.hosts
        self._nodes = parts.nodes

    def controllers(self) -> list[Controller]:
        """Return the controller of MachineSets."""
        return [
            Controller(
                name="machineset",
                reconcile=self.reconcile,
                sources=[
                    Source(
                        self._sets,
                        keep=any_of(generation_changed, annotations_changed),
                        forgives=True,
                    ),
                    Source(self._machines, keys=self._called_by_machine),
                    Source(self._nodes, keys=self._called_by_node),
                    Source(self._hosts, keys=self._called_by_host),
                ],
                workers=2,
            )
        ]

    async def reconcile(self, key: ObjectKey) -> Result:
        """Bring a set nearer to its number of Machines."""
        found = self._sets.store.get(key)
        if found is None or found.metadata.is_going:
            return Result.done()  # Its Machines go with it, by their owner references.
        model, now = found.model, self._parts.now()
        if wrong := judge(model):
            status, said = mistaken(model, wrong, generation=found.metadata.generation, now=now)
            await self._tell(found, model.status, status, said)
            return Result.done()
        crew = self._crew(found, model, self._machines.store.within(key.namespace))
        found = await self._autoscaled(found, model, crew)
        model = found.model
        if len(crew.staying) != model.spec.replicas or self._orphans(found, model):
            listed = await self._parts.client.list(MACHINE, Selection(key.namespace))
            crew = await self._scaled(found, model, listed.objects)
        status, said = counted(model, crew.members, generation=found.metadata.generation, now=now)
        await self._tell(found, model.status, status, said)
        if len(crew.staying) != model.spec.replicas:
            return Result.again_soon()
        return Result(after=next_available(model, crew.members))

    async def _scaled(
        self,
        found: KubeObject[MachineSet],
        model: MachineSet,
        machines: list[KubeObject[Machine]],
    ) -> _Crew:
        """Adopt, make or delete Machines; return those that there are then."""
        adopted = [
            await self._adopt(found, one) if is_orphan(one, model) else one for one in machines
        ]
        crew = self._crew(found, model, adopted)
        lacking = model.spec.replicas - len(crew.staying)
        new = [await self._make(found) for _ in range(min(lacking, AT_ONCE))]
        going = first_to_go(crew.members, min(-lacking, AT_ONCE), model.spec.delete_policy)
        gone = {one.name for one in going}
        for one in crew.machines:
            if one.key.name in gone:
                await self._delete(found, one)
        left = [one for one in crew.machines if one.key.name not in gone]
        return self._crew(found, model, [*left, *new])

    async def _autoscaled(
        self, found: KubeObject[MachineSet], model: MachineSet, crew: _Crew
    ) -> KubeObject[MachineSet]:
        """Have a set that asks for it want as many Machines as there are hosts for them."""
        if annotation.AUTOSCALE not in found.metadata.annotations:
            return found
        hosts = self._hosts.store.within(found.key.namespace)
        wanted = replicas_for(model, hosts, crew.staying)
        if wanted is None or wanted == model.spec.replicas:
            return found
        written = await self._parts.client.patch(
            MACHINE_SET,
            found.key,
            {
                "metadata": {"resourceVersion": found.metadata.resource_version},
                "spec": {"replicas": wanted},
            },
        )
        self._sets.saw(written)
        message = f"there are hosts for {wanted} Machines, instead of {model.spec.replicas}"
        self._parts.recorder.record(found, SetReason.AUTOSCALED.value, message)
        return written

    async def _make(self, found: KubeObject[MachineSet]) -> KubeObject[Machine]:
        new = await self._parts.client.create(MACHINE, made(found))
        message = f"Machine {new.metadata.name} is made"
        self._parts.recorder.record(found, SetReason.CREATED.value, message)
        return new

    async def _delete(self, found: KubeObject[MachineSet], machine: KubeObject[Machine]) -> None:
        try:
            await self._parts.client.delete(MACHINE, machine.key, uid=machine.metadata.uid)
        except (NotFound, Conflict):
            return
        message = f"Machine {machine.key.name} is to go"
        self._parts.recorder.record(found, SetReason.DELETED.value, message)

    async def _adopt(
        self, found: KubeObject[MachineSet], machine: KubeObject[Machine]
    ) -> KubeObject[Machine]:
        others = machine.content["metadata"].get("ownerReferences") or []
        change = {
            "resourceVersion": machine.metadata.resource_version,
            "ownerReferences": [*others, owner(found)],
        }
        written = await self._parts.client.patch(MACHINE, machine.key, {"metadata": change})
        self._machines.saw(written)
        message = f"Machine {machine.key.name} fits the selector and had no set"
        self._parts.recorder.record(found, SetReason.ADOPTED.value, message)
        return written

    async def _tell(
        self,
        found: KubeObject[MachineSet],
        before: MachineSetStatus,
        after: MachineSetStatus,
        said: Iterable[Observation],
    ) -> None:
        for one in said:
            if one.reason and is_news(before.conditions, one):
                self._parts.recorder.record(
                    found, one.reason, one.message, severity=Severity.WARNING
                )
        change = difference(before, after)
        if change:
            body = {"status": {"replicas": after.replicas, **change}}
            try:
                written = await self._parts.client.patch(
                    MACHINE_SET, found.key, body, subresource="status"
                )
            except NotFound:
                return
            self._sets.saw(written)

    def _crew(
        self,
        found: KubeObject[MachineSet],
        model: MachineSet,
        machines: Iterable[KubeObject[Machine]],
    ) -> _Crew:
        own = tuple(one for one in machines if belongs(one, found.metadata.uid))
        now = self._parts.now()
        return _Crew(own, tuple(member(one, model, self._node, now=now) for one in own))

    def _node(self, reference: ObjectReference) -> KubeObject[Node] | None:
        return self._nodes.store.get(ObjectKey("", reference.name))

    def _orphans(self, found: KubeObject[MachineSet], model: MachineSet) -> bool:
        machines = self._machines.store.within(found.key.namespace)
        return any(is_orphan(one, model) for one in machines)

    def _called_by_machine(self, machine: KubeObject[Machine]) -> Iterable[ObjectKey]:
        owned = [one.uid for one in machine.metadata.owner_references if one.controller]
        for found in self._sets.store.within(machine.key.namespace):
            if found.metadata.uid in owned or (not owned and is_orphan(machine, found.model)):
                yield found.key

    def _called_by_node(self, node: KubeObject[Node]) -> Iterable[ObjectKey]:
        namespace, _, name = node.metadata.annotations.get(annotation.MACHINE, "").rpartition("/")
        machine = self._machines.store.get(ObjectKey(namespace, name)) if name else None
        return self._called_by_machine(machine) if machine else ()

    def _called_by_host(self, host: KubeObject[Host]) -> Iterable[ObjectKey]:
        return [
            found.key
            for found in self._sets.store.within(host.key.namespace)
            if annotation.AUTOSCALE in found.metadata.annotations
        ]
