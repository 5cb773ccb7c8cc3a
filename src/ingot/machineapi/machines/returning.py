"""Carrying out what is next for a Machine that goes; see `leaving` for what that is."""

from __future__ import annotations

import logging
from dataclasses import replace

from ingot.kube.controller import Result
from ingot.kube.digest import Severity
from ingot.kube.errors import NotFound
from ingot.kube.holding import let_go
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.api.machine import Machine, MachineStatus, Phase
from ingot.machineapi.hosts import Host, nodes_rebooting
from ingot.machineapi.kinds import HOST, NODE
from ingot.machineapi.machines.draining import look, told
from ingot.machineapi.machines.evicting import cordoned, evict, pods_on
from ingot.machineapi.machines.leaving import (
    AwaitHook,
    AwaitHost,
    Clear,
    DeleteNode,
    Drain,
    Free,
    LeaveEtcd,
    LetGo,
    Parting,
    Step,
    hooked,
    next_step,
)
from ingot.machineapi.machines.linking import hosts_of, node_of
from ingot.machineapi.machines.taking import cleared, freed
from ingot.machineapi.machines.telling import Telling
from ingot.machineapi.machines.unseating import Unseating
from ingot.machineapi.machines.words import MachineCondition, Reason
from ingot.machineapi.nodes import Node
from ingot.machineapi.observing import Observation, observed
from ingot.machineapi.parts import Parts
from ingot.machineapi.seeing import MachineSeen

__all__ = ["Returns"]

log = logging.getLogger(__name__)


class Returns:
    """Machines that give back what they have.

    Args:
        parts: what all controllers share.
        telling: what is said of Machines.
        unseating: takes members out of etcd.
    """

    def __init__(self, parts: Parts, telling: Telling, unseating: Unseating) -> None:
        self._parts = parts
        self._telling = telling
        self._unseating = unseating

    async def give_back(self, machine: KubeObject[Machine]) -> Result:
        """Bring a Machine that is being deleted one step further.

        Raises:
            Conflict: something has changed under our eyes; the next turn sees it.
        """
        if annotation.FINALIZER not in machine.metadata.finalizers:
            return Result.done()
        facts = self._facts(machine)
        return await self._carry_out(machine, facts, next_step(facts))

    async def _carry_out(self, machine: KubeObject[Machine], facts: Parting, step: Step) -> Result:
        look_again = Result.again_in(self._parts.patience.look)
        match step:
            case AwaitHook():
                await self._say(machine, hooked(facts))
                return Result.done()
            case Drain(node, is_late):
                await self._drain(machine, facts, node, is_late=is_late)
                return look_again
            case LeaveEtcd(member):
                said = await self._unseating.leave(
                    member, rebooting=lambda: nodes_rebooting(self._parts.hosts.store)
                )
                await self._say(machine, [*hooked(facts), said])
                return Result.again_soon() if said.holds else look_again
            case DeleteNode(node):
                await self._delete_node(machine, node)
            case Clear(host):
                machine = await self._say(machine, [*hooked(facts), _releasing(host)])
                await self._change(host, cleared(host))
            case AwaitHost(host):
                await self._say(machine, [*hooked(facts), _releasing(host)])
                return look_again
            case Free(host, is_clean):
                await self._free(machine, host, is_clean=is_clean)
            case LetGo():
                await let_go(
                    self._parts.client, self._parts.machines, machine, annotation.FINALIZER
                )
                return Result.done()
        return Result.again_soon()

    def _facts(self, machine: KubeObject[Machine]) -> Parting:
        model = machine.model
        hosts = hosts_of(machine, self._parts.hosts.store.within(machine.key.namespace))
        node = self._node(machine, model.status, hosts)
        return Parting(
            spec=model.spec,
            conditions=model.status.conditions,
            node=node if node and not node.metadata.is_going else None,
            hosts=hosts,
            drains=annotation.EXCLUDE_DRAINING not in machine.metadata.annotations,
            now=self._parts.now(),
            patience=self._parts.patience,
            member=self._member(machine, node, hosts),
        )

    def _node(
        self,
        machine: KubeObject[Machine],
        status: MachineStatus,
        hosts: tuple[KubeObject[Host], ...],
    ) -> KubeObject[Node] | None:
        """Return the Node of a Machine; once it has no host, only the very Node that it had."""
        nodes = self._parts.nodes.store
        for host in hosts:
            if (found := node_of(machine.key, host, nodes)) is not None:
                return found
        known = status.node_ref
        return next((one for one in nodes if known and one.metadata.uid == known.uid), None)

    def _member(
        self,
        machine: KubeObject[Machine],
        node: KubeObject[Node] | None,
        hosts: tuple[KubeObject[Host], ...],
    ) -> str:
        """Return the node whose member of etcd goes with a Machine; "" if there is none to go.

        A Machine that has neither host nor Node any more goes by the name that its Node had, unless
        another Node has that by now.
        """
        if not MachineSeen.of(machine).is_control_plane:
            return ""
        if node is not None:
            return node.metadata.name
        if hosts:
            return hosts[0].key.name
        known = machine.model.status.node_ref
        taken = known and any(one.metadata.name == known.name for one in self._parts.nodes.store)
        return known.name if known and not taken else ""

    async def _drain(
        self, machine: KubeObject[Machine], facts: Parting, node: KubeObject[Node], *, is_late: bool
    ) -> None:
        client, name = self._parts.client, node.metadata.name
        await cordoned(client, node)
        pods = await pods_on(client, name)
        emptying = look(pods, answers=node.model.ready, now=facts.now)
        if emptying.is_empty:
            said = _emptied(node)
        elif is_late:
            left = told(name, emptying, ())
            said = Observation(
                MachineCondition.DRAINED,
                holds=False,
                reason=Reason.DRAIN_TIMED_OUT.value,
                message=f"after {facts.patience.drain:g} seconds {left}; the Machine goes on",
                severity=ConditionSeverity.WARNING,
            )
        else:
            refused = await evict(client, emptying.staying)
            said = Observation(
                MachineCondition.DRAINED,
                holds=False,
                reason=Reason.DRAINING.value,
                message=told(name, emptying, refused),
                severity=ConditionSeverity.INFO,
            )
        await self._say(machine, [*hooked(facts), said])

    async def _delete_node(self, machine: KubeObject[Machine], node: KubeObject[Node]) -> None:
        try:
            await self._parts.client.delete(NODE, node.key, uid=node.metadata.uid)
        except NotFound:
            log.debug("%s: its Node %s is gone", machine.key, node.key)
        else:
            message = f"Node {node.metadata.name} is deleted"
            self._parts.recorder.record(machine, Reason.NODE_DELETED.value, message)

    async def _free(
        self, machine: KubeObject[Machine], host: KubeObject[Host], *, is_clean: bool
    ) -> None:
        if is_clean:
            said = Observation(
                MachineCondition.HOST_RELEASED,
                holds=True,
                reason=Reason.RELEASED.value,
                message=f"host {host.key} is {host.model.state or 'given back'}",
            )
        else:
            said = _not_released(host, self._parts.patience.release)
            self._parts.recorder.record(host, said.reason, said.message, severity=Severity.WARNING)
        await self._say(machine, [said])
        await self._change(host, freed(host))

    async def _change(self, host: KubeObject[Host], patch: dict[str, object]) -> None:
        try:
            self._parts.hosts.saw(await self._parts.client.patch(HOST, host.key, patch))
        except NotFound:
            return

    async def _say(
        self, machine: KubeObject[Machine], said: list[Observation]
    ) -> KubeObject[Machine]:
        before = machine.model.status
        now = self._parts.now()
        after = replace(
            before,
            phase=Phase.DELETING.value,
            conditions=observed(before.conditions, said, now=now),
        )
        return await self._telling.tell(machine, before, after, said)


def _emptied(node: KubeObject[Node]) -> Observation:
    """Return what is said of a Node on which no pod is waited for any more."""
    name = node.metadata.name
    if node.model.ready:
        return Observation(
            MachineCondition.DRAINED,
            holds=True,
            reason=Reason.DRAINED.value,
            message=f"Node {name} is empty",
        )
    return Observation(
        MachineCondition.DRAINED,
        holds=False,
        reason=Reason.NODE_NOT_READY.value,
        message=(
            f"Node {name} is not ready, and what ran there may still run: it is kept until its"
            " server is off"
        ),
        severity=ConditionSeverity.WARNING,
    )


def _releasing(host: KubeObject[Host]) -> Observation:
    trouble = _trouble(host)
    return Observation(
        MachineCondition.HOST_RELEASED,
        holds=False,
        reason=(Reason.HOST_ERROR if trouble else Reason.RELEASING).value,
        message=f"host {host.key} is {host.model.state or 'not registered'}"
        + (f": {trouble}" if trouble else ""),
        severity=ConditionSeverity.WARNING if trouble else ConditionSeverity.INFO,
    )


def _trouble(host: KubeObject[Host]) -> str:
    """Return what keeps a host from being cleaned, as far as it is known."""
    if annotation.HOST_PAUSED in host.metadata.annotations:
        return f"it is paused, by its annotation {annotation.HOST_PAUSED}"
    return host.model.status.error_message or host.model.status.error_type


def _not_released(host: KubeObject[Host], seconds: float) -> Observation:
    trouble = f" ({told})" if (told := _trouble(host)) else ""
    return Observation(
        MachineCondition.HOST_RELEASED,
        holds=False,
        reason=Reason.NOT_RELEASED.value,
        message=(
            f"host {host.key} is still {host.model.state or 'not registered'} after"
            f" {seconds:g} seconds{trouble}, and may still run what it ran. It is cleaned as soon"
            " as that is possible: see to its BMC, or switch the server off by hand"
        ),
        severity=ConditionSeverity.WARNING,
    )
