"""Writing the status of Machines, and an event for what is new in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ingot.kube.digest import Severity
from ingot.kube.errors import NotFound
from ingot.kube.object import KubeObject
from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.api.machine import Machine, MachineStatus
from ingot.machineapi.kinds import MACHINE
from ingot.machineapi.observing import Observation, difference, is_news
from ingot.machineapi.parts import Parts

__all__ = ["Telling"]


class Telling:
    """What is said of Machines."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def tell(
        self,
        machine: KubeObject[Machine],
        before: MachineStatus,
        after: MachineStatus,
        said: Iterable[Observation],
    ) -> KubeObject[Machine]:
        """Write a status if it is another, and return the Machine as it then is.

        Raises:
            Conflict: the Machine has changed since it was read.
        """
        for one in said:
            if one.reason and is_news(before.conditions, one):
                self._event(machine, one)
        if replace(after, last_updated=before.last_updated) == before:
            return machine
        change = difference(before, replace(after, last_updated=self._parts.now()))
        body = {
            "metadata": {"resourceVersion": machine.metadata.resource_version},
            "status": change,
        }
        try:
            written = await self._parts.client.patch(
                MACHINE, machine.key, body, subresource="status"
            )
        except NotFound:
            return machine
        self._parts.machines.saw(written)
        return written

    def _event(self, machine: KubeObject[Machine], said: Observation) -> None:
        bad = said.severity in (ConditionSeverity.ERROR, ConditionSeverity.WARNING)
        self._parts.recorder.record(
            machine,
            said.reason,
            said.message,
            severity=Severity.WARNING if bad and not said.holds else Severity.NORMAL,
        )
