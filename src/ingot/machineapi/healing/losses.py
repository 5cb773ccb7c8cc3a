"""Carrying out and telling what becomes of Machines that have lost their host; see `losing`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ingot.kube.digest import Severity
from ingot.kube.errors import NotFound
from ingot.kube.object import KubeObject
from ingot.machineapi.api.machinehealthcheck import MachineHealthCheck
from ingot.machineapi.healing.judging import Budget, Patient, Unhealthy
from ingot.machineapi.healing.losing import too_many_lost, why_kept
from ingot.machineapi.healing.words import Reason
from ingot.machineapi.kinds import MACHINE
from ingot.machineapi.machines.words import Reason as MachineReason
from ingot.machineapi.parts import Parts
from ingot.machineapi.seeing import MachineSeen

__all__ = ["Losses"]


class Losses:
    """Machines that have lost their host.

    Args:
        parts: what all controllers share.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def delete(self, found: KubeObject[MachineHealthCheck], machine: MachineSeen) -> None:
        """Delete a Machine that has lost its host, so that its set makes another.

        Raises:
            Conflict: it has changed since it was looked at; the next look sees how.
        """
        stored = self._parts.machines.store.get(machine.key)
        if stored is None or stored.metadata.is_going:
            return
        meta = stored.metadata
        with suppress(NotFound):
            await self._parts.client.delete(
                MACHINE, machine.key, uid=meta.uid, resource_version=meta.resource_version
            )
        host = f"its host {machine.host}" if machine.host else "its host"
        what = "is gone" if machine.error == MachineReason.HOST_GONE else "is no longer its own"
        told = f"{host} {what}; it is deleted, and its MachineSet makes another"
        for one, text in ((stored, told), (found, f"Machine {machine.key.name}: {told}")):
            self._parts.recorder.record(one, Reason.REPLACED, text, severity=Severity.WARNING)

    def tell_kept(self, patients: Sequence[Patient], budget: Budget) -> None:
        """Tell of Machines that have lost their host, and are not deleted."""
        count = too_many_lost(patients, budget)
        many = (
            f"{count} of {len(patients)} Machines have lost their host, and with more than"
            f" {budget.most_unhealthy} none is deleted: look at what became of the hosts"
        )
        for one in patients:
            stored = self._parts.machines.store.get(one.machine.key)
            why = why_kept(one.machine) or (many if count else "")
            if stored and why and one.lost and isinstance(one.health, Unhealthy):
                told = f"it has lost its host, and is not deleted: {why}"
                self._parts.recorder.record(
                    stored, Reason.NOT_HEALED, told, severity=Severity.WARNING
                )
