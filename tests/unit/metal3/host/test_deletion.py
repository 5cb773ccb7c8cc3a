"""Deletion from each state, with and without a back end: the rows of the table, and its bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.states import ErrorType, OperationalStatus, ProvisioningState
from ingot.metal3.host.decision import FinalizerStep
from ingot.metal3.host.observation import CredentialsMissing, Observation, Site
from ingot.metal3.node.goal import Delete, Deprovision, PowerOff, Register
from tests.unit.metal3.host.hosts import (
    IMAGE,
    S,
    act,
    broken,
    counted,
    failed_host,
    host,
    look,
    reasons,
    seen,
    then,
    unseen,
    wait,
)

INSTALLED = {"image": IMAGE}
OFF = S.POWERING_OFF_BEFORE_DELETE
DETACHED = {"operational_status": OperationalStatus.DETACHED}
OFTEN = {"error_count": 4}
LOST = CredentialsMissing()

ROWS: dict[str, tuple[BareMetalHost, Observation[str], ProvisioningState]] = {
    "new: deleting": (host(S.NONE, going=0), unseen(), S.DELETING),
    "unmanaged: deleting": (host(S.UNMANAGED, going=0, bmc=None), unseen(), S.DELETING),
    "registering: deleting": (host(S.REGISTERING, going=0), seen(), S.DELETING),
    "provisioning: deprovisioning": (
        host(S.PROVISIONING, going=0, image=IMAGE), seen(), S.DEPROVISIONING,
    ),
    "provisioned: deprovisioning": (
        host(S.PROVISIONED, going=0, image=IMAGE, provisioning=INSTALLED),
        seen(S.PROVISIONED), S.DEPROVISIONING,
    ),
    "deprovisioned: powering off": (
        host(S.DEPROVISIONING, going=0, provisioning=INSTALLED), seen(), OFF,
    ),
    "powered off: deleting": (host(OFF, going=0), seen(), S.DELETING),
    "inspecting: powering off": (host(S.INSPECTING, going=0), seen(), OFF),
    "preparing: powering off": (host(S.PREPARING, going=0), seen(), OFF),
    "available: powering off": (host(S.AVAILABLE, going=0), seen(), OFF),
    "externally provisioned: powering off": (
        host(S.EXTERNALLY_PROVISIONED, going=0, externally_provisioned=True),
        seen(S.EXTERNALLY_PROVISIONED), OFF,
    ),
    "detached by annotation: deleting": (
        host(S.PROVISIONED, going=0, image=IMAGE, provisioning=INSTALLED,
             annotations={annotation.DETACHED: ""}),
        seen(S.PROVISIONED), S.DELETING,
    ),
    "detached by status and annotation: deleting": (
        host(S.PROVISIONED, going=0, image=IMAGE, provisioning=INSTALLED, status=DETACHED,
             annotations={annotation.DETACHED: ""}),
        unseen(), S.DELETING,
    ),
    "detached with deleteAction delay: held": (
        host(S.PROVISIONED, going=0, image=IMAGE, provisioning=INSTALLED, status=DETACHED,
             annotations={annotation.DETACHED: '{"deleteAction": "delay"}'}),
        unseen(), S.PROVISIONED,
    ),
    "detached by status, annotation gone: held until it is attached": (
        host(S.PROVISIONED, going=0, image=IMAGE, provisioning=INSTALLED, status=DETACHED),
        unseen(), S.PROVISIONED,
    ),
    "deprovisioning fails more than three times: goes on": (
        failed_host(S.DEPROVISIONING, ErrorType.PROVISIONING, going=0, status=OFTEN), seen(), OFF,
    ),
    "deprovisioning fails three times: tried again": (
        failed_host(S.DEPROVISIONING, ErrorType.PROVISIONING, going=0, status={"error_count": 3}),
        seen(answers={Deprovision: wait()}), S.DEPROVISIONING,
    ),
    "power-off fails more than three times: goes on": (
        failed_host(OFF, ErrorType.POWER_MANAGEMENT, going=0, status=OFTEN), seen(), S.DELETING,
    ),
    "registration fails more than three times in deprovisioning: deleting": (
        failed_host(S.DEPROVISIONING, ErrorType.REGISTRATION, going=0, status=OFTEN),
        seen(), S.DELETING,
    ),
    "registration fails more than three times in powering off: deleting": (
        failed_host(OFF, ErrorType.REGISTRATION, going=0, status=OFTEN), seen(), S.DELETING,
    ),
    "no node and no credentials: deleting": (
        host(S.DEPROVISIONING, going=0, provisioning=INSTALLED),
        unseen(credentials=LOST), S.DELETING,
    ),
    "no credentials but a node: deprovisioned by what Ironic knows": (
        host(S.DEPROVISIONING, going=0, provisioning=INSTALLED), seen(credentials=LOST), OFF,
    ),
    "disablePowerOff: power-off skipped": (
        host(OFF, going=0, disable_power_off=True),
        seen(answers={PowerOff: act()}), S.DELETING,
    ),
    "no capacity to deprovision: waits": (
        host(S.PROVISIONED, going=60, image=IMAGE, provisioning=INSTALLED),
        seen(S.PROVISIONED, site=Site(working=20)), S.PROVISIONED,
    ),
    "no capacity for too long: goes on": (
        host(S.PROVISIONED, going=7201, image=IMAGE, provisioning=INSTALLED),
        seen(S.PROVISIONED, site=Site(working=20)), OFF,
    ),
    "deprovisioning lasts too long: goes on": (
        host(S.DEPROVISIONING, going=7201, provisioning=INSTALLED),
        seen(answers={Deprovision: wait()}), OFF,
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_deletion(row: str) -> None:
    subject, observed, expected = ROWS[row]
    decision = look(subject, observed)
    assert decision.status.provisioning.state == expected
    assert decision.finalizer is FinalizerStep.KEEP


def test_the_finalizer_goes_when_ironic_does_not_know_the_host_any_more() -> None:
    waiting = look(host(S.DELETING, going=0), seen(answers={Delete: act()}))
    assert waiting.finalizer is FinalizerStep.KEEP
    assert waiting.calls
    done = look(host(S.DELETING, going=0), unseen())
    assert done.finalizer is FinalizerStep.REMOVE
    assert done.requeue_after is None


def test_the_last_power_off_is_hard_and_cuts_off_what_waits_for_the_agent() -> None:
    asked = []

    def progress_of(goal: object) -> object:
        asked.append(goal)
        return seen().progress_of(goal)  # type: ignore[arg-type]

    look(host(OFF, going=0), replace(seen(), progress_of=progress_of))  # type: ignore[arg-type]
    assert PowerOff(hard=True, abort=True) in asked


def test_a_host_that_was_never_registered_needs_no_ironic() -> None:
    subject = host(S.DELETING, going=0, provisioning={"id": ""}, status={"operation_history": {}})
    decision = look(subject, unseen(ironic_ready=False))
    assert decision.finalizer is FinalizerStep.REMOVE


@pytest.mark.parametrize("state", [S.PROVISIONED, S.AVAILABLE, S.DEPROVISIONING, OFF, S.DELETING])
def test_a_dead_ironic_is_waited_for_ten_minutes_and_then_left_behind(
    state: ProvisioningState,
) -> None:
    subject = host(state, going=0, image=IMAGE, provisioning=INSTALLED)
    dead = unseen(ironic_ready=False)
    first = look(subject, dead)
    assert first.status.provisioning.state is state
    assert first.requeue_after == 30
    subject = then(subject, first)
    soon = look(subject, dead, after=590)
    assert soon.finalizer is FinalizerStep.KEEP
    assert not soon.changed
    late = look(subject, dead, after=600)
    if state is not S.DELETING:
        assert late.status.provisioning.state is S.DELETING
        assert "LeftBehind" in reasons(late)
        late = look(then(subject, late), dead, after=601)
    assert late.finalizer is FinalizerStep.REMOVE
    assert "LeftBehind" in reasons(late)
    assert "node-1" in late.events[-1].message


def test_an_ironic_that_comes_back_in_time_is_used() -> None:
    subject = host(S.PROVISIONED, going=0, image=IMAGE, provisioning=INSTALLED)
    subject = then(subject, look(subject, unseen(ironic_ready=False)))
    back = look(subject, seen(S.PROVISIONED), after=300)
    assert back.status.provisioning.state is S.DEPROVISIONING
    assert "WaitingForIronic" not in {one.type for one in back.status.conditions}


def test_a_power_off_that_never_ends_is_left_after_its_limit() -> None:
    available = host(S.AVAILABLE, going=0)
    subject = then(available, look(available, seen()))
    stuck = seen(answers={PowerOff: wait()})
    assert look(subject, stuck, after=900).status.provisioning.state is OFF
    late = look(subject, stuck, after=901)
    assert late.status.provisioning.state is S.DELETING
    assert "metal3_delete_without_powering_off_total" in counted(late)


def test_a_node_that_ironic_never_removes_is_left_after_its_limit() -> None:
    off = host(OFF, going=0)
    subject = then(off, look(off, seen()))
    stuck = seen(answers={Delete: wait()})
    assert look(subject, stuck, after=900).finalizer is FinalizerStep.KEEP
    late = look(subject, stuck, after=901)
    assert late.finalizer is FinalizerStep.REMOVE
    assert reasons(late) == {"LeftBehind"}


def test_a_node_that_is_not_removed_in_time_is_removed_by_force() -> None:
    asked = []

    def progress_of(goal: object) -> object:
        asked.append(goal)
        return wait()

    off = host(OFF, going=0)
    subject = then(off, look(off, seen()))
    observed = replace(seen(), progress_of=progress_of)  # type: ignore[arg-type]
    look(subject, observed, after=10)
    look(subject, observed, after=460)
    assert asked == [Delete(force=False), Delete(force=True)]


@pytest.mark.parametrize("state", list(S))
@pytest.mark.parametrize("up", [True, False], ids=["Ironic up", "Ironic down"])
def test_force_delete_lets_go_at_once_and_says_so(state: ProvisioningState, *, up: bool) -> None:
    forced = {annotation.FORCE_DELETE: ""}
    subject = host(state, going=0, image=IMAGE, annotations=forced)
    decision = look(subject, seen(answers={Delete: act()}, ironic_ready=up))
    assert decision.finalizer is FinalizerStep.REMOVE
    assert reasons(decision) == {"ForceDeleted"}
    assert decision.events[0].type == "Warning"
    assert bool(decision.calls) == decision.calls_may_fail == up


def test_force_delete_does_nothing_to_a_host_that_is_not_deleted() -> None:
    subject = host(image=None, annotations={annotation.FORCE_DELETE: ""})
    assert look(subject, seen()).finalizer is FinalizerStep.KEEP


def test_the_last_failure_is_not_waited_out_before_giving_up() -> None:
    subject = failed_host(
        S.DEPROVISIONING, ErrorType.REGISTRATION, going=0, status={"error_count": 3}
    )
    decision = look(subject, seen(answers={Register: broken()}))
    assert decision.status.error_count == 4
    assert decision.requeue_after == 0


def test_failures_of_before_the_deletion_do_not_hurry_it() -> None:
    often = failed_host(S.AVAILABLE, ErrorType.REGISTRATION, going=0, status=OFTEN)
    assert look(often, unseen(ironic_ready=False)).requeue_after == 30
    stays = host(S.DEPROVISIONING, provisioning=INSTALLED, status={"error_count": 4})
    failed = look(stays, seen(answers={Deprovision: broken()}))
    going = host(S.DEPROVISIONING, provisioning=INSTALLED, going=0)
    going = replace(going, status=failed.status)
    decision = look(going, seen(answers={Deprovision: act()}))
    assert decision.calls
    assert decision.status.error_count == 0


def test_giving_up_says_what_is_left_behind() -> None:
    often = failed_host(S.DEPROVISIONING, ErrorType.PROVISIONING, going=0, status=OFTEN)
    decision = look(often, seen())
    assert "metal3_delete_without_deprovisioning_total" in counted(decision)
    assert any("keep what is installed" in event.message for event in decision.events)


def test_a_host_whose_finalizer_is_gone_is_left_alone() -> None:
    subject = host(S.AVAILABLE, going=0, finalizers=("somebody/else",))
    decision = look(subject, seen())
    assert decision.requeue_after is None
    assert not decision.calls
    assert decision.status.provisioning.state is S.AVAILABLE
