"""Which Machines are deleted since they have lost their host."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.kube.kind import ObjectKey
from ingot.machineapi.healing.judging import Budget, Healthy, Patient, Unhealthy
from ingot.machineapi.healing.losing import PATIENCE, has_lost, lost, too_many_lost
from ingot.machineapi.seeing import HostSeen
from tests.unit.machineapi.healing.ward import CONTROL_PLANE, NOW, ago, host, machine

SILENT = Unhealthy("silent", ago(minutes=1))


def patient(
    name: str = "lost",
    *,
    sick: bool = True,
    **told: Any,  # noqa: ANN401 - any fact of the Machine
) -> Patient:
    """Return one whose host is gone for long enough."""
    facts = {"phase": "Failed", "error": "HostGone", "unclaimed_since": NOW - PATIENCE}
    seen = machine(key=ObjectKey("metal3", name), **{**facts, **told})
    fares = SILENT if sick else Healthy()
    return Patient(machine=seen, health=fares, hostless=True, lost=has_lost(seen, None))


def dead(name: str) -> Patient:
    """Return one that has a host, and is unhealthy."""
    return Patient(machine=machine(key=ObjectKey("metal3", name)), health=SILENT)


def deleted(*patients: Patient, most: int = 1) -> list[str]:
    budget = Budget(most_unhealthy=most, at_once=1)
    return [one.key.name for one in lost(patients, budget, now=NOW)]


@pytest.mark.parametrize("error", ["HostGone", "HostTaken"])
def test_a_machine_of_a_set_that_has_lost_its_host_is_deleted(error: str) -> None:
    assert deleted(patient(error=error)) == ["lost"]


@pytest.mark.parametrize(
    "told",
    [
        {"error": "InvalidConfiguration"},
        {"error": "ClaimRefused"},
        {"error": "HostDeleting"},
        {"phase": "Provisioning", "error": ""},
        {"owned": False},
        {"labels": CONTROL_PLANE},
        {"annotations": {"cluster.x-k8s.io/paused": ""}},
        {"annotations": {"cluster.x-k8s.io/skip-remediation": ""}},
        {"unclaimed_since": ago(seconds=30)},
        {"unclaimed_since": None},
        {"sick": False},
    ],
)
def test_no_other_machine_is_deleted(told: dict[str, Any]) -> None:
    assert deleted(patient(**told)) == []


@pytest.mark.parametrize("seen", [host(), host(going=True)])
def test_what_still_has_a_host_has_not_lost_it(seen: HostSeen) -> None:
    assert not has_lost(machine(phase="Failed", error="HostGone"), seen)


def test_when_too_many_hosts_are_gone_no_machine_is_deleted() -> None:
    both = (patient("a"), patient("b"))
    assert deleted(*both, most=2) == ["a", "b"]
    assert deleted(*both, most=1) == []
    assert too_many_lost(both, Budget(most_unhealthy=1, at_once=1)) == 2


def test_when_too_many_others_are_unhealthy_no_machine_is_deleted() -> None:
    assert deleted(patient(), dead("a")) == ["lost"]
    assert deleted(patient(), dead("a"), dead("b")) == []
