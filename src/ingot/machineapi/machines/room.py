"""The controller of Machines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ingot.kube.changes import (
    Change,
    annotations_changed,
    any_of,
    finalizers_changed,
    generation_changed,
)
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.errors import NotFound
from ingot.kube.holding import held
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.etcd import EtcdMembers
from ingot.machineapi.hosts import Host, consumer_key
from ingot.machineapi.kinds import MACHINE, NODE
from ingot.machineapi.machines.claiming import Claimed, Claims, Unclaimed
from ingot.machineapi.machines.linking import annotated_host, node_of, provider_id
from ingot.machineapi.machines.nodekeeping import missing_in
from ingot.machineapi.machines.returning import Returns
from ingot.machineapi.machines.settling import is_installed, settle, unsettled
from ingot.machineapi.machines.telling import Telling
from ingot.machineapi.machines.unseating import Unseating
from ingot.machineapi.nodes import Node
from ingot.machineapi.parts import Parts

__all__ = ["MachineRoom"]

WORKERS = 8


class MachineRoom:
    """Machines, from their claim of a host to its return.

    Args:
        parts: what all controllers share.
        etcd: what asks etcd; without it no Machine of the control plane gives its host back.
    """

    def __init__(self, parts: Parts, *, etcd: EtcdMembers | None = None) -> None:
        self._parts = parts
        self._machines = parts.machines
        self._hosts = parts.hosts
        self._nodes = parts.nodes
        self._claims = Claims(parts)
        self._telling = Telling(parts)
        self._returns = Returns(parts, self._telling, Unseating(etcd, parts.unseating))
        self._hostless: set[ObjectKey] = set()
        """Machines that wait for a host: one that changes calls for them."""
        self._nodeless: set[ObjectKey] = set()
        """Machines that wait for a Node."""

    def controllers(self) -> list[Controller]:
        """Return the controller of Machines."""
        return [
            Controller(
                name="machine",
                reconcile=self.reconcile,
                sources=[
                    Source(
                        self._machines,
                        keep=any_of(generation_changed, annotations_changed, finalizers_changed),
                        forgives=True,
                    ),
                    Source(self._hosts, keys=self._called_by_host),
                    Source(self._nodes, keep=_node_changed, keys=self._called_by_node),
                ],
                workers=WORKERS,
            )
        ]

    async def reconcile(self, key: ObjectKey) -> Result:
        """Bring a Machine nearer to what it should be."""
        found = self._machines.store.get(key)
        if found is None or found.metadata.is_going:
            self._hostless.discard(key)
            self._nodeless.discard(key)
        if found is None:
            return Result.done()
        if found.metadata.is_going:
            return await self._returns.give_back(found)
        found = await held(
            self._parts.client, self._machines, found, finalizer=annotation.FINALIZER
        )
        match await self._claims.host_of(found):
            case Claimed() as claimed:
                self._hostless.discard(key)
                return await self._with_host(claimed.machine, claimed.host)
            case Unclaimed() as unclaimed:
                self._hostless.add(key)
                return await self._without_host(unclaimed)

    async def _without_host(self, unclaimed: Unclaimed) -> Result:
        before = unclaimed.machine.model.status
        where = unsettled(
            before, unclaimed.why, needs_change=unclaimed.needs_change, now=self._parts.now()
        )
        await self._telling.tell(unclaimed.machine, before, where.status, where.said)
        return Result.again_in(self._parts.patience.retry)

    async def _with_host(self, machine: KubeObject[Machine], host: KubeObject[Host]) -> Result:
        node = node_of(machine.key, host, self._nodes.store) if is_installed(host) else None
        if node is None:
            self._nodeless.add(machine.key)
        else:
            self._nodeless.discard(machine.key)
        machine = await self._identified(machine, host)
        if node is not None:
            await self._keep(node, machine, host)
        before = machine.model.status
        where = settle(before, host, node, now=self._parts.now())
        await self._telling.tell(machine, before, where.status, where.said)
        return Result.done()

    async def _identified(
        self, machine: KubeObject[Machine], host: KubeObject[Host]
    ) -> KubeObject[Machine]:
        """Write to a Machine what it is known by, once its host is installed, and its state."""
        change: dict[str, Any] = {}
        wanted = provider_id(host)
        if is_installed(host) and machine.model.spec.provider_id != wanted:
            change["spec"] = {"providerID": wanted}
        if machine.metadata.annotations.get(annotation.INSTANCE_STATE, "") != host.model.state:
            change["metadata"] = {"annotations": {annotation.INSTANCE_STATE: host.model.state}}
        if not change:
            return machine
        version = {"resourceVersion": machine.metadata.resource_version}
        change["metadata"] = {**version, **change.get("metadata", {})}
        written = await self._parts.client.patch(MACHINE, machine.key, change)
        self._machines.saw(written)
        return written

    async def _keep(
        self, node: KubeObject[Node], machine: KubeObject[Machine], host: KubeObject[Host]
    ) -> None:
        """Give a Node what it lacks."""
        change = missing_in(
            node, machine.model.spec, machine=machine.key, provider_id=provider_id(host)
        )
        if change:
            try:
                self._nodes.saw(await self._parts.client.patch(NODE, node.key, change))
            except NotFound:
                return

    def _called_by_host(self, host: KubeObject[Host]) -> Iterable[ObjectKey]:
        namespace = host.key.namespace
        consumer = consumer_key(host)
        if consumer is not None:
            yield consumer
        for machine in self._machines.store.within(namespace):
            if machine.key in self._hostless or annotated_host(machine) == host.key:
                yield machine.key

    def _called_by_node(self, node: KubeObject[Node]) -> Iterable[ObjectKey]:
        namespace, _, name = node.metadata.annotations.get(annotation.MACHINE, "").rpartition("/")
        if name:
            yield ObjectKey(namespace, name)
        yield from tuple(self._nodeless)


def _node_changed(change: Change[Node]) -> bool:
    """Let count what a Machine looks at; a Node's heartbeat is not part of it."""
    old, new = change.old, change.new
    return old is None or new is None or _facts(old) != _facts(new)


def _facts(node: KubeObject[Node]) -> tuple[object, ...]:
    view, meta = node.model, node.metadata
    return (
        view.spec,
        view.ready,
        view.internal_addresses,
        meta.labels,
        meta.annotations,
        meta.is_going,
    )
