"""The controller of MachineHealthChecks: it looks at Machines, and begins healings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.api.machinehealthcheck import HealthCheckStatus, MachineHealthCheck
from ingot.machineapi.healing.course import may_begin_again, unfit
from ingot.machineapi.healing.judging import (
    Budget,
    Healthy,
    Patient,
    Unhealthy,
    allowed_unhealthy,
    begin,
    health,
)
from ingot.machineapi.healing.kinds import HEALTH_CHECK, Rules
from ingot.machineapi.healing.losing import has_lost, lost
from ingot.machineapi.healing.losses import Losses
from ingot.machineapi.healing.record import RECORD, Healing, Phase
from ingot.machineapi.healing.sight import Sight
from ingot.machineapi.healing.spares import Spares
from ingot.machineapi.healing.words import (
    PAUSED,
    REMEDIATION_ALLOWED,
    REPLACEMENT_POSSIBLE,
    SKIPPED,
    Reason,
)
from ingot.machineapi.kinds import MACHINE
from ingot.machineapi.labels import matches, mistakes
from ingot.machineapi.observing import Observation, condition, difference, observed
from ingot.machineapi.parts import Parts
from ingot.machineapi.seeing import HostSeen, MachineSeen

__all__ = ["CheckRoom"]

LOOK_SECONDS: Final = 60.0
"""How often Machines are looked at again that are unhealthy and cannot be healed yet."""


class CheckRoom:
    """Watches over Machines.

    Args:
        parts: what all controllers share.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._sight = Sight(parts)
        self._spares = Spares(parts)
        self._losses = Losses(parts)
        self._checks = parts.runtime.watches.of(HEALTH_CHECK)

    def controllers(self) -> list[Controller]:
        """Return the controller of MachineHealthChecks."""
        parts = self._parts
        return [
            Controller(
                name="machinehealthcheck",
                reconcile=self.reconcile,
                sources=[
                    Source(self._checks, forgives=True),
                    Source(parts.machines, keys=self._watching),
                    Source(parts.nodes, keys=self._all),
                ],
            )
        ]

    async def reconcile(self, key: ObjectKey) -> Result:
        """Look at all Machines of a check, begin what may begin, and write what was seen."""
        found = self._checks.store.get(key)
        if found is None or found.metadata.is_going:
            return Result.done()
        now, check = self._parts.now(), found.model
        rules = Rules.of(check.spec)
        patients = self._patients(found, rules, now)
        budget = Budget(
            most_unhealthy=allowed_unhealthy(check.spec.max_unhealthy, len(patients)),
            at_once=rules.at_once,
            control_plane_busy=any(
                one.is_control_plane and _acts(Healing.of(one.annotations), rules, now)
                for one in self._sight.machines()
            ),
        )
        if PAUSED not in found.metadata.annotations:
            for machine in begin(patients, budget):
                await self._begin(found, machine, patients, now)
            for machine in lost(patients, budget, now=now):
                await self._losses.delete(found, machine)
        self._tell_held_back(patients)
        self._losses.tell_kept(patients, budget)
        await self._write(found, patients, budget, now)
        return _next_look(patients, now)

    def _patients(
        self, found: KubeObject[MachineHealthCheck], rules: Rules, now: datetime
    ) -> list[Patient]:
        selector = found.model.spec.selector
        patients = []
        for machine in self._sight.machines(found.key.namespace):
            if machine.going or not matches(selector, machine.labels):
                continue
            host, node = self._sight.host_of(machine), self._sight.node_of(machine)
            healing = Healing.of(machine.annotations)
            stranded = self._stranded(machine, host, healing)
            if (
                healing is not None
                and machine.is_control_plane
                and may_begin_again(
                    healing, host, obstacle=stranded, patience=rules.timeout, now=now
                )
            ):
                healing = None  # it is judged anew, and what is written of it is written over
            patients.append(
                Patient(
                    machine=machine,
                    health=health(machine, host, node, limits=rules.limits, now=now),
                    healing=host is not None and _acts(healing, rules, now),
                    held_back=_held_back(machine, host, healing),
                    hostless=host is None or host.going,
                    lost=has_lost(machine, host),
                    stranded=stranded,
                )
            )
        return patients

    def _stranded(
        self, machine: MachineSeen, host: HostSeen | None, healing: Healing | None
    ) -> str:
        """Return why nothing could take the place of a Machine whose healing has failed."""
        failed = healing is not None and healing.phase is Phase.FAILED
        stored = self._parts.machines.store.get(machine.key)
        external = host is not None and host.external
        if not failed or stored is None or external or not machine.is_control_plane:
            return ""
        return self._spares.obstacle(stored)

    async def _begin(
        self,
        found: KubeObject[MachineHealthCheck],
        machine: MachineSeen,
        patients: Sequence[Patient],
        now: datetime,
    ) -> None:
        stored = self._parts.machines.store.get(machine.key)
        sick = next(one.health for one in patients if one.machine.key == machine.key)
        if stored is None or not isinstance(sick, Unhealthy):
            return
        node = self._sight.node_of(machine)
        healing = Healing.fresh(
            found.metadata.name, sick.why, boot=node.boot if node else "", now=now
        )
        change = {
            "annotations": {RECORD: healing.text()},
            "resourceVersion": stored.metadata.resource_version,
        }
        written = await self._parts.client.patch(MACHINE, machine.key, {"metadata": change})
        self._parts.machines.saw(written)
        told = f"{sick.why}; its server is turned off and on"
        self._parts.recorder.record(written, Reason.BEGUN, told, severity=Severity.WARNING)

    def _tell_held_back(self, patients: Iterable[Patient]) -> None:
        for one in patients:
            if one.lost:
                continue
            stored = self._parts.machines.store.get(one.machine.key)
            recorded = Healing.of(one.machine.annotations) is not None
            if stored and one.held_back and isinstance(one.health, Unhealthy) and not recorded:
                told = f"{one.health.why}; it is not healed: {one.held_back}"
                self._parts.recorder.record(
                    stored, Reason.NOT_HEALED, told, severity=Severity.WARNING
                )

    async def _write(
        self,
        found: KubeObject[MachineHealthCheck],
        patients: Sequence[Patient],
        budget: Budget,
        now: datetime,
    ) -> None:
        sick = sum(1 for one in patients if one.healing or isinstance(one.health, Unhealthy))
        said = _allowed(found, patients, budget)
        if not said.holds:
            self._parts.recorder.record(
                found, Reason.RESTRICTED, said.message, severity=Severity.WARNING
            )
        before = found.model.status
        healing = [
            one.machine.key.name
            for one in patients
            if Healing.of(self._annotations(one)) is not None
        ]
        after = replace(
            before,
            expected_machines=len(patients),
            current_healthy=len(patients) - sick,
            remediations_allowed=max(
                0, budget.most_unhealthy - sum(1 for one in patients if one.counts)
            ),
            healing=tuple(sorted(healing)),
            conditions=observed(
                before.conditions, [said, *_replacement(before, patients)], now=now
            ),
        )
        await self._put(found, before, after)

    async def _put(
        self,
        found: KubeObject[MachineHealthCheck],
        before: HealthCheckStatus,
        after: HealthCheckStatus,
    ) -> None:
        change = difference(before, after)
        if change:
            self._checks.saw(
                await self._parts.client.patch(
                    HEALTH_CHECK, found.key, {"status": change}, subresource="status"
                )
            )

    def _annotations(self, patient: Patient) -> dict[str, str]:
        """Return a Machine's annotations as they are by now."""
        stored = self._parts.machines.store.get(patient.machine.key)
        return stored.metadata.annotations if stored else {}

    def _watching(self, machine: KubeObject[Any]) -> list[ObjectKey]:
        return [one.key for one in self._checks.store.within(machine.key.namespace)]

    def _all(self, _: KubeObject[Any]) -> list[ObjectKey]:
        return [one.key for one in self._checks.store]


def _allowed(
    found: KubeObject[MachineHealthCheck], patients: Sequence[Patient], budget: Budget
) -> Observation:
    """Return whether healings may begin."""
    bad = ConditionSeverity.WARNING
    wrong = mistakes(found.model.spec.selector, "spec.selector")
    if wrong:
        told = f"no Machine is watched over: {'; '.join(wrong)}"
        return Observation(REMEDIATION_ALLOWED, False, Reason.BAD_SELECTOR, told, bad)  # noqa: FBT003 - whether it holds
    too_many = budget.exceeded_by(patients)
    if too_many:
        told = (
            f"{too_many} of {len(patients)} Machines are unhealthy, and with more than"
            f" {budget.most_unhealthy} no healing is begun: look for what they share"
        )
        return Observation(REMEDIATION_ALLOWED, False, Reason.TOO_MANY, told, bad)  # noqa: FBT003 - whether it holds
    return Observation(REMEDIATION_ALLOWED, True)  # noqa: FBT003 - whether it holds


def _replacement(before: HealthCheckStatus, patients: Iterable[Patient]) -> list[Observation]:
    """Return that somebody's place could not be taken, or that this is over."""
    told = [
        f"Machine {one.machine.key.name} is not replaced: {one.stranded}"
        for one in patients
        if one.stranded
    ]
    if told:
        return [
            Observation(
                REPLACEMENT_POSSIBLE,
                holds=False,
                reason=Reason.NO_SUCCESSOR,
                message="; ".join(told),
                severity=ConditionSeverity.WARNING,
            )
        ]
    if condition(before.conditions, REPLACEMENT_POSSIBLE) is None:
        return []
    return [Observation(REPLACEMENT_POSSIBLE, holds=True)]


def _acts(healing: Healing | None, rules: Rules, now: datetime) -> bool:
    """Tell whether a healing takes one of the places; one that is stuck keeps nobody waiting."""
    if healing is None or healing.phase is Phase.FAILED:
        return False
    return healing.phase is not Phase.FENCING or now - healing.since <= rules.timeout


def _held_back(machine: MachineSeen, host: HostSeen | None, healing: Healing | None) -> str:
    if healing is not None:
        return f"it is being healed: {healing.phase}"
    if PAUSED in machine.annotations or SKIPPED in machine.annotations:
        return "its annotations say so"
    return unfit(host)


def _next_look(patients: Iterable[Patient], now: datetime) -> Result:
    waits = []
    for one in patients:
        match one.health:
            case Unhealthy():
                waits.append(LOOK_SECONDS)
            case Healthy(until) if until is not None:
                waits.append(max(1.0, (until - now).total_seconds()))
            case Healthy():
                pass
    return Result.again_in(min(waits)) if waits else Result.done()
