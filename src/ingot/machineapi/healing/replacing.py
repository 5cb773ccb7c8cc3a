"""A Machine that is given up: how it goes, and how another takes its place."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Final

from ingot.errors import IngotError
from ingot.kube.controller import Result
from ingot.kube.digest import Severity
from ingot.kube.errors import NotFound
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.etcd import EtcdMembers
from ingot.machineapi.healing.course import Case, Remember
from ingot.machineapi.healing.holding import Holding
from ingot.machineapi.healing.record import Phase
from ingot.machineapi.healing.spares import Spares
from ingot.machineapi.healing.successor import (
    Blocked,
    ForgetMember,
    GiveUp,
    MakeSuccessor,
    Plan,
    Retire,
    plan,
    successor,
)
from ingot.machineapi.healing.words import Reason
from ingot.machineapi.kinds import MACHINE
from ingot.machineapi.parts import Parts

__all__ = ["Replacing"]

log = logging.getLogger(__name__)

AGAIN_SECONDS: Final = 30.0


class Replacing:
    """Replaces Machines.

    Args:
        parts: what all controllers share.
        holding: writes to hosts.
        etcd: what asks etcd; None where it cannot be asked.
    """

    def __init__(self, parts: Parts, holding: Holding, etcd: EtcdMembers | None) -> None:
        self._parts = parts
        self._holding = holding
        self._etcd = etcd
        self._spares = Spares(parts)

    async def advance(self, found: KubeObject[Machine], case: Case) -> Result | Remember:
        """Bring a Machine whose server is off one step nearer to being replaced.

        Returns:
            when to go on; or, where that is given up, what is to be remembered.
        """
        step = await self._plan(found, case) if case.machine.is_control_plane else Retire()
        match step:
            case Blocked(why):
                self._tell(found, Reason.NOT_HEALED, f"it is not replaced yet: {why}")
                return Result.again_in(AGAIN_SECONDS)
            case GiveUp(why):
                told = f"it is not replaced, and its server is turned on again: {why}"
                return Remember(case.turned(Phase.FAILED, last=False), told, warning=True)
            case ForgetMember(member):
                await self._asked.remove(member)
                self._tell(found, Reason.REPLACED, f"etcd has forgotten its member {member.name}")
            case MakeSuccessor():
                made = await self._parts.client.create(
                    MACHINE, successor(found.content, host=case.host.key.name if case.host else "")
                )
                self._tell(found, Reason.REPLACED, f"Machine {made.key.name} takes its place")
                return Result.again_in(1.0)  # until the watch has told of it
            case Retire():
                await self._retire(found, case)
        return Result.again_soon()

    @property
    def _asked(self) -> EtcdMembers:
        assert self._etcd is not None  # noqa: S101 - planned only where there is one
        return self._etcd

    async def _plan(self, found: KubeObject[Machine], case: Case) -> Plan:
        if self._etcd is None:
            return Blocked("etcd cannot be asked from here")
        try:
            members = await self._etcd.members()
        except IngotError as error:
            return Blocked(f"etcd cannot be asked: {error.what}")
        return plan(
            case.machine.node or (case.host.key.name if case.host else ""),
            members,
            made=self._spares.is_succeeded(found),
            obstacle=self._spares.obstacle(found),
        )

    async def _retire(self, found: KubeObject[Machine], case: Case) -> None:
        """Delete a Machine without waiting for its Node, which is empty, and keep its host out."""
        if case.host is not None:
            why = f"given up after {case.healing.tries} power cycles: {case.healing.why}"
            await self._holding.mark_unhealthy(case.host, why)
        change = {"metadata": {"annotations": {annotation.EXCLUDE_DRAINING: "its server is off"}}}
        with suppress(NotFound):
            written = await self._parts.client.patch(MACHINE, found.key, change)
            self._parts.machines.saw(written)
            await self._parts.client.delete(MACHINE, found.key, uid=found.metadata.uid)
        self._tell(found, Reason.REPLACED, "it is deleted, and its host not used again")

    def _tell(self, found: KubeObject[Machine], reason: Reason, told: str) -> None:
        self._parts.recorder.record(found, reason, told, severity=Severity.WARNING)
        log.warning("%s: %s", found.key, told)
