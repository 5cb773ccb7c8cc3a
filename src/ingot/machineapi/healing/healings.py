"""The controller of healings: it brings each Machine that is being healed one step further."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from ingot.errors import IngotError
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.etcd import EtcdMembers, counted_out, why_not_without
from ingot.machineapi.healing.course import (
    Act,
    Case,
    Do,
    Forget,
    Look,
    Remember,
    Rest,
    Step,
    next_step,
)
from ingot.machineapi.healing.emptiness import is_emptied
from ingot.machineapi.healing.hold import Hold
from ingot.machineapi.healing.holding import Holding
from ingot.machineapi.healing.judging import Healthy, health
from ingot.machineapi.healing.kinds import HEALTH_CHECK, Rules
from ingot.machineapi.healing.record import RECORD, Healing, Phase
from ingot.machineapi.healing.replacing import Replacing
from ingot.machineapi.healing.sight import Sight
from ingot.machineapi.healing.spares import Spares
from ingot.machineapi.healing.words import Reason
from ingot.machineapi.hosts import nodes_rebooting
from ingot.machineapi.kinds import MACHINE
from ingot.machineapi.parts import Parts
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeSeen

__all__ = ["HealingRoom"]

log = logging.getLogger(__name__)


class HealingRoom:
    """Heals Machines.

    Args:
        parts: what all controllers share.
        etcd: what asks etcd; without it no server of the control plane is turned off.
    """

    def __init__(self, parts: Parts, *, etcd: EtcdMembers | None = None) -> None:
        self._parts = parts
        self._etcd = etcd
        self._sight = Sight(parts)
        self._holding = Holding(parts)
        self._spares = Spares(parts)
        self._replacing = Replacing(parts, self._holding, etcd)
        self._checks = parts.runtime.watches.of(HEALTH_CHECK)

    def controllers(self) -> list[Controller]:
        """Return the controller of Machines that are being healed."""
        parts = self._parts
        return [
            Controller(
                name="healing",
                reconcile=self.reconcile,
                sources=[
                    Source(parts.machines),
                    Source(parts.hosts, keys=_of_host),
                    Source(parts.nodes, keys=self._of_node),
                ],
                workers=2,
            )
        ]

    async def reconcile(self, key: ObjectKey) -> Result:
        """Bring the healing of a Machine one step further."""
        found = self._parts.machines.store.get(key)
        healing = Healing.of(found.metadata.annotations) if found else None
        if found is None or healing is None:
            await self._let_go(key)
            return Result.done()
        # From the question whether etcd can spare it until its server is told to go off nobody else
        # asks: two would get the same answer.
        fences = healing.phase is Phase.FENCING and MachineSeen.of(found).is_control_plane
        async with self._parts.unseating if fences else nullcontext():
            return await self._advance(found, healing)

    async def _advance(self, found: KubeObject[Machine], healing: Healing) -> Result:
        case = await self._case(found, healing)
        step: Step | Result = next_step(case)
        if step == Do(Act.REPLACE):
            step = await self._replacing.advance(found, case)
        match step:
            case Result():
                return step
            case Remember(after, told, warning):
                written = await self._record(found, after.text())
                reason = Reason.NOT_HEALED if after.phase is Phase.FAILED else Reason.GOES_ON
                if told:
                    self._tell(written, reason, told, warning=warning)
            case Forget(told):
                written = await self._record(found, None)
                self._tell(written, Reason.HEALED, told)
            case Rest(seconds, why):
                if why:
                    self._tell(found, Reason.NOT_HEALED, why, warning=True)
                return Result.again_in(seconds)
            case Do(act):
                await self._do(act, case)
        return Result.again_soon()

    async def _case(self, found: KubeObject[Machine], healing: Healing) -> Case:
        machine = MachineSeen.of(found)
        now, rules = self._parts.now(), self._rules(machine, healing)
        # One that is going is followed until its host is given back, and for a while longer.
        look_up = self._sight.named_host if machine.going else self._sight.host_of
        host, node = look_up(machine), self._sight.node_of(machine)
        fares = health(machine, host, node, limits=rules.limits, now=now)
        case = Case(
            machine=machine,
            host=host,
            node=node,
            healing=healing,
            sick=fares != Healthy(),
            retry_limit=rules.retry_limit,
            timeout=rules.timeout,
            now=now,
        )
        return replace(case, look=await self._looked(found, case))

    async def _looked(self, found: KubeObject[Machine], case: Case) -> Look:
        """Return what a phase asks for."""
        phase, machine = case.healing.phase, case.machine
        look = Look(obstacle=self._spares.obstacle(found) if machine.is_control_plane else "")
        if phase is Phase.FENCING and machine.is_control_plane and not case.held:
            return replace(look, risk=await self._risk(machine.node))
        if phase is Phase.EMPTYING and case.tainted:
            return replace(look, emptied=await is_emptied(self._parts.client, machine.node))
        return look

    async def _risk(self, node: str) -> str:
        if self._etcd is None:
            return "etcd cannot be asked from here"
        try:
            members = await self._etcd.members()
        except IngotError as error:
            return f"etcd cannot be asked: {error.what}"
        going = nodes_rebooting(self._parts.hosts.store)
        return why_not_without(node, counted_out(members, going))

    def _rules(self, machine: MachineSeen, healing: Healing) -> Rules:
        found = self._checks.store.get(ObjectKey(machine.key.namespace, healing.check))
        return Rules.of(found.model.spec) if found else Rules.orphaned()

    async def _do(self, act: Act, case: Case) -> None:
        host, node = case.host, case.node
        log.info("%s: %s", case.machine.key, act.value)
        match act, host, node:
            case Act.HOLD, HostSeen(), _:
                await self._holding.hold(host, case.machine.key)
            case Act.RELEASE, HostSeen(), _:
                await self._holding.release(host)
            case Act.TAINT, _, NodeSeen():
                await self._holding.taint(node.name)
            case Act.UNTAINT, _, NodeSeen():
                await self._holding.untaint(node.name)
            case _:
                pass

    async def _record(self, found: KubeObject[Machine], text: str | None) -> KubeObject[Machine]:
        change = {
            "annotations": {RECORD: text},
            "resourceVersion": found.metadata.resource_version,
        }
        written = await self._parts.client.patch(MACHINE, found.key, {"metadata": change})
        self._parts.machines.saw(written)
        return written

    async def _let_go(self, key: ObjectKey) -> None:
        """Let go of hosts that are still held for a Machine that is not being healed."""
        for host in self._sight.hosts():
            hold = Hold.of(host.annotations)
            if hold is not None and hold.machine == key:
                log.info("%s: host %s is no longer held off", key, host.key)
                await self._holding.release(host)

    def _tell(
        self, found: KubeObject[Machine], reason: Reason, told: str, *, warning: bool = False
    ) -> None:
        severity = Severity.WARNING if warning else Severity.NORMAL
        self._parts.recorder.record(found, reason, told, severity=severity)
        log.info("%s: %s", found.key, told)

    def _of_node(self, node: KubeObject[Any]) -> list[ObjectKey]:
        said = node.metadata.annotations.get(annotation.MACHINE, "")
        namespace, _, name = said.partition("/")
        if name:
            return [ObjectKey(namespace, name)]
        named = node.metadata.name
        return [one.key for one in self._sight.machines() if one.node == named]


def _of_host(host: KubeObject[Any]) -> list[ObjectKey]:
    seen = HostSeen.of(host)
    hold = Hold.of(seen.annotations)
    named = (seen.consumer, hold.machine if hold else None)
    return [key for key in named if key is not None]
