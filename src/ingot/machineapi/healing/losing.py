"""Machines that have lost their host: no power heals them, so that their set has to make others.

A Machine never moves to another host. One whose host is deleted, or given to somebody else, would
be a replica of its set for ever, and of no use. So it is deleted, if it is unhealthy besides: while
its Node answers, nobody is helped by that. A mistake in its configuration is another matter: its
set would make the same one again.

Hosts may be gone by mistake, or for a moment, as when a backup is restored. So they have a while to
come back, and if too many are gone, then that is not what a few Machines less would mend.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from ingot.machineapi.healing.judging import Budget, Patient, Unhealthy
from ingot.machineapi.healing.words import PAUSED, SKIPPED
from ingot.machineapi.machines.words import Reason
from ingot.machineapi.seeing import HostSeen, MachineSeen

__all__ = ["PATIENCE", "has_lost", "lost", "too_many_lost", "why_kept"]

PATIENCE: Final = timedelta(minutes=2)
"""Whoever replaces hosts by hand, or watches a Machine fail, sees what it says before it goes."""

_LOST: Final = frozenset({Reason.HOST_GONE.value, Reason.HOST_TAKEN.value})


def has_lost(machine: MachineSeen, host: HostSeen | None) -> bool:
    """Tell whether a Machine had a host and never has one again."""
    return host is None and machine.phase == "Failed" and machine.error in _LOST


def lost(patients: Sequence[Patient], budget: Budget, *, now: datetime) -> list[MachineSeen]:
    """Return the Machines that are deleted now, so that their sets make others."""
    if budget.exceeded_by(patients) or too_many_lost(patients, budget):
        return []
    return [
        one.machine
        for one in patients
        if _is_sick(one) and not why_kept(one.machine) and _is_over(one.machine, now)
    ]


def too_many_lost(patients: Iterable[Patient], budget: Budget) -> int:
    """Return how many unhealthy Machines have lost their host if that is too many, else 0."""
    count = sum(1 for one in patients if _is_sick(one))
    return count if count > budget.most_unhealthy else 0


def why_kept(machine: MachineSeen) -> str:
    """Return why a Machine is not deleted whatever it has lost; "" if it may be."""
    if machine.is_control_plane:
        return "it is of the control plane, and its member of etcd has to be removed first"
    if not machine.owned:
        return "no MachineSet would make another"
    if PAUSED in machine.annotations or SKIPPED in machine.annotations:
        return "its annotations say so"
    return ""


def _is_sick(patient: Patient) -> bool:
    return patient.lost and isinstance(patient.health, Unhealthy)


def _is_over(machine: MachineSeen, now: datetime) -> bool:
    since = machine.unclaimed_since
    return since is not None and now - since >= PATIENCE
