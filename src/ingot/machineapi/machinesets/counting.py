"""The status of a set, from its Machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.api.machineset import MachineSet, MachineSetStatus
from ingot.machineapi.labels import as_text, matches, mistakes
from ingot.machineapi.machinesets.members import Member
from ingot.machineapi.observing import Observation, observed

__all__ = ["SetCondition", "SetReason", "counted", "judge", "mistaken", "next_available"]


class SetCondition(StrEnum):
    """What is observed of a set."""

    VALID = "Valid"
    HOSTS_FOUND = "HostsFound"


class SetReason(StrEnum):
    """Why a set's condition is as it is; an event has the same word."""

    INVALID_CONFIGURATION = "InvalidConfiguration"
    WAITING_FOR_HOSTS = "WaitingForHosts"
    CREATED = "MachineCreated"
    DELETED = "MachineDeleted"
    ADOPTED = "MachineAdopted"
    AUTOSCALED = "ScaledToHosts"


def judge(model: MachineSet) -> list[str]:
    """Return what keeps a set from having Machines, each with its place."""
    selector, labels = model.spec.selector, model.spec.template.metadata.labels
    wrong = mistakes(selector, "spec.selector")
    if not selector.match_labels and not selector.match_expressions:
        wrong.append("spec.selector is empty, and would match all Machines: give it a label")
    elif not wrong and not matches(selector, labels):
        wrong.append(
            f"spec.selector ({as_text(selector)}) does not match spec.template.metadata.labels:"
            " no Machine made from it would belong to the set"
        )
    return wrong


def counted(
    model: MachineSet, members: Sequence[Member], *, generation: int, now: datetime
) -> tuple[MachineSetStatus, tuple[Observation, ...]]:
    """Return the status of a set that can have Machines, and what is said in it."""
    staying = [one for one in members if not one.going]
    waiting = sorted((one for one in staying if one.waits), key=lambda one: one.name)
    said = (Observation(SetCondition.VALID, holds=True), _hosts(len(staying), waiting))
    ready = [one for one in staying if one.ready]
    status = replace(
        model.status,
        replicas=len(staying),
        fully_labeled_replicas=sum(one.labelled for one in staying),
        ready_replicas=len(ready),
        available_replicas=sum(one.ready_for >= model.spec.min_ready_seconds for one in ready),
        observed_generation=generation,
        label_selector=as_text(model.spec.selector),
        error_reason="",
        error_message="",
        conditions=observed(model.status.conditions, said, now=now),
    )
    return status, said


def mistaken(
    model: MachineSet, wrong: Sequence[str], *, generation: int, now: datetime
) -> tuple[MachineSetStatus, tuple[Observation, ...]]:
    """Return the status of a set that cannot have Machines; those it has are left alone."""
    reason, message = SetReason.INVALID_CONFIGURATION.value, "; ".join(wrong)
    said = Observation(
        SetCondition.VALID,
        holds=False,
        reason=reason,
        message=message,
        severity=ConditionSeverity.ERROR,
    )
    status = replace(
        model.status,
        observed_generation=generation,
        error_reason=reason,
        error_message=message,
        conditions=observed(model.status.conditions, [said], now=now),
    )
    return status, (said,)


def next_available(model: MachineSet, members: Sequence[Member]) -> float | None:
    """Return in how many seconds the next Machine is ready for long enough; None if none is."""
    wanted = model.spec.min_ready_seconds
    left = [wanted - one.ready_for for one in members if one.ready and one.ready_for < wanted]
    return min(left, default=None)


def _hosts(total: int, waiting: Sequence[Member]) -> Observation:
    if not waiting:
        return Observation(SetCondition.HOSTS_FOUND, holds=True)
    first = waiting[0]
    return Observation(
        SetCondition.HOSTS_FOUND,
        holds=False,
        reason=SetReason.WAITING_FOR_HOSTS.value,
        message=f"{len(waiting)} of {total} Machines have no host; {first.name}: {first.waits}",
        severity=ConditionSeverity.WARNING,
    )
