"""The standard conditions, in each state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ingot.metal3.api.states import OperationalStatus
from ingot.metal3.host.observation import NodeSeen, Site
from ingot.metal3.node.goal import (
    Adopt,
    Delete,
    Deprovision,
    Inspect,
    PowerOff,
    Prepare,
    Provision,
    Register,
)
from tests.unit.metal3.host.hosts import (
    IMAGE,
    Answers,
    N,
    S,
    broken,
    condition,
    host,
    look,
    seen,
    then,
    unseen,
    wait,
)

BUSY: Answers = {
    kind: wait() for kind in (Register, Inspect, Prepare, Provision, Deprovision, PowerOff, Delete)
}
IN_USE: dict[str, Any] = {"image": IMAGE, "provisioning": {"image": IMAGE}}
YES, NO = "True", "False"

WORKING: dict[S, tuple[str, dict[str, Any]]] = {
    S.REGISTERING: ("Registering", {}),
    S.INSPECTING: ("Inspecting", {}),
    S.PREPARING: ("Preparing", {}),
    S.PROVISIONING: ("Provisioning", IN_USE),
    S.DEPROVISIONING: ("Deprovisioning", {}),
    S.POWERING_OFF_BEFORE_DELETE: ("PoweringOffBeforeDelete", {"going": 0}),
    S.DELETING: ("Deleting", {"going": 0}),
}


@pytest.mark.parametrize("state", WORKING)
def test_a_host_that_is_worked_on_is_progressing(state: S) -> None:
    reason, said = WORKING[state]
    answers = BUSY if state is S.REGISTERING else {k: v for k, v in BUSY.items() if k != Register}
    decision = look(host(state, **said), seen(state, answers))
    assert condition(decision, "Progressing") == (YES, reason)
    assert condition(decision, "Provisioned") == (NO, "NotProvisioned")
    assert condition(decision, "Ready") == (NO, "NotProvisioned")
    assert condition(decision, "AvailableForProvisioning") == (NO, "NotAvailable")
    managed = (NO, "Registering") if state is S.REGISTERING else (YES, "Manageable")
    assert condition(decision, "Manageable") == managed


def test_an_available_host_says_so() -> None:
    decision = look(host(), seen())
    assert condition(decision, "AvailableForProvisioning") == (YES, "Available")
    assert condition(decision, "Progressing") == (NO, "NotProgressing")


@pytest.mark.parametrize("state", [S.PROVISIONED, S.EXTERNALLY_PROVISIONED])
def test_a_host_in_use_is_provisioned_and_ready(state: S) -> None:
    spec = {"externally_provisioned": True} if state is S.EXTERNALLY_PROVISIONED else IN_USE
    decision = look(host(state, **spec), seen(state))
    assert condition(decision, "Provisioned") == (YES, "Provisioned")
    assert condition(decision, "Ready") == (YES, "Provisioned")


def test_a_host_in_use_with_an_error_is_provisioned_but_not_ready() -> None:
    decision = look(host(S.PROVISIONED, **IN_USE), seen(S.PROVISIONED, {Adopt: broken()}))
    assert condition(decision, "Provisioned") == (YES, "Provisioned")
    assert condition(decision, "Ready") == (NO, "Error")


def test_an_unmanaged_host_says_so() -> None:
    decision = look(host(S.UNMANAGED, bmc=None), unseen())
    assert condition(decision, "Manageable") == (NO, "NotManaged")


def test_a_failed_registration_says_so() -> None:
    decision = look(host(S.REGISTERING), seen(S.REGISTERING, {Register: broken()}))
    assert condition(decision, "Manageable") == (NO, "RegistrationFailed")


def test_a_bmc_that_does_not_answer_is_a_power_failure() -> None:
    node = NodeSeen(id="node-1", state=N.AVAILABLE, powered_on=True, fault="power failure")
    assert condition(look(host(), seen(node=node)), "Manageable") == (NO, "PowerFailure")


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        ("OK", (YES, "Healthy")),
        ("Warning", (NO, "Warning")),
        ("Critical", (NO, "CriticalError")),
        (None, ("Unknown", "Unknown")),
        ("Splendid", ("Unknown", "Unknown")),
    ],
)
def test_health_is_what_the_bmc_says(health: str | None, expected: tuple[str, str]) -> None:
    node = NodeSeen(id="node-1", state=N.AVAILABLE, powered_on=True, health=health)
    assert condition(look(host(), seen(node=node)), "Healthy") == expected


def test_health_is_kept_while_the_bmc_says_nothing() -> None:
    node = NodeSeen(id="node-1", state=N.AVAILABLE, powered_on=True, health="Warning")
    sick = then(host(), look(host(), seen(node=node)))
    assert condition(look(sick, seen()), "Healthy") == (NO, "Warning")


def test_a_condition_keeps_its_time_until_its_status_changes() -> None:
    first = look(host(), seen())
    later = look(then(host(), first), seen(site=Site(working=1)), after=600)
    assert not later.changed
    moved = look(replace(host(image=IMAGE), status=first.status), seen(), after=600)
    times = {one.type: one.last_transition_time for one in moved.status.conditions}
    assert times["AvailableForProvisioning"] > times["Healthy"]


def test_the_last_update_is_written_only_with_a_change() -> None:
    first = look(host(), seen())
    assert first.changed
    again = look(then(host(), first), seen(), after=60)
    assert not again.changed
    assert again.status.last_updated == first.status.last_updated


def test_a_delayed_host_is_not_in_error() -> None:
    decision = look(host(image=IMAGE), seen(site=Site(working=20)))
    assert decision.status.operational_status is OperationalStatus.DELAYED
    assert decision.status.error_type is None
