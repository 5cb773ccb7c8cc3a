"""How long is waited, and for what: one case for each row of the table of delays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.image import CustomDeploy
from ingot.metal3.api.states import ErrorType, OperationalStatus
from ingot.metal3.host.observation import (
    CredentialsMissing,
    FirmwareSeen,
    Observation,
    RamdiskSeen,
    RamdiskState,
    Site,
)
from ingot.metal3.host.settings import Settings
from ingot.metal3.node.goal import Inspect, Prepare
from tests.unit.metal3.host.hosts import (
    IMAGE,
    OTHER,
    S,
    act,
    broken,
    condition,
    counted,
    failed_host,
    host,
    look,
    seen,
    then,
    unseen,
    wait,
)

IN_USE = {"image": IMAGE}
PENDING = RamdiskSeen(state=RamdiskState.PENDING)

ROWS: dict[str, tuple[BareMetalHost, Observation[str], float]] = {
    "BMC Secret missing": (host(), seen(credentials=CredentialsMissing()), 10),
    "unmanaged": (host(S.UNMANAGED, bmc=None), unseen(), 600),
    "detached": (
        host(annotations={annotation.DETACHED: ""},
             status={"operational_status": OperationalStatus.DETACHED}),
        unseen(), 600,
    ),
    "ramdisk not ready": (host(S.INSPECTING), seen(S.INSPECTING, ramdisk=PENDING), 300),
    "Ironic not ready": (host(), unseen(ironic_ready=False), 30),
    "firmware not ready during preparing": (
        host(S.PREPARING), seen(S.PREPARING, firmware=FirmwareSeen(ready=False)), 60,
    ),
    "steady: available": (host(), seen(), 60),
    "steady: provisioned": (
        host(S.PROVISIONED, image=IMAGE, provisioning=IN_USE), seen(S.PROVISIONED), 60,
    ),
    "steady: externally provisioned": (
        host(S.EXTERNALLY_PROVISIONED, externally_provisioned=True),
        seen(S.EXTERNALLY_PROVISIONED), 60,
    ),
    "what Ironic does": (host(S.INSPECTING), seen(S.INSPECTING, {Inspect: wait()}), 10),
    "a state that completes goes on at once": (host(S.PREPARING), seen(S.PREPARING), 0),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_delay(row: str) -> None:
    subject, observed, seconds = ROWS[row]
    assert look(subject, observed).requeue_after == seconds


@pytest.mark.parametrize("count", range(1, 12))
def test_a_failed_action_waits_twice_as_long_each_time_up_to_eight_hours(count: int) -> None:
    subject = host(S.INSPECTING, status={"error_count": count - 1})
    decision = look(subject, seen(S.INSPECTING, {Inspect: broken()}))
    whole = 60 * 2 ** min(count, 9)
    assert whole / 2 < (decision.requeue_after or 0) <= whole


def test_a_look_before_the_time_waits_for_the_rest() -> None:
    subject = host(S.INSPECTING)
    failed = look(subject, seen(S.INSPECTING, {Inspect: broken()}))
    early = look(then(subject, failed), seen(S.INSPECTING, {Inspect: act()}), after=40)
    assert early.requeue_after == (failed.requeue_after or 0) - 40
    assert not early.changed
    due = look(then(subject, failed), seen(S.INSPECTING, {Inspect: act()}),
               after=failed.requeue_after or 0)  # fmt: skip
    assert due.calls


def test_what_only_a_change_can_mend_is_tried_again_after_an_hour() -> None:
    failing = seen(S.INSPECTING, {Inspect: broken(retryable=False)})
    assert look(host(S.INSPECTING), failing).requeue_after == 3600


def test_capacity_is_waited_for_in_a_named_state() -> None:
    subject = host(image=IMAGE)
    decision = look(subject, seen(site=Site(working=20)))
    assert decision.status.provisioning.state is S.AVAILABLE
    assert decision.status.operational_status is OperationalStatus.DELAYED
    assert condition(decision, "WaitingForCapacity") == ("True", "WaitingForCapacity")
    assert "metal3_delayed__provisioning_total" in counted(decision)
    assert decision.requeue_after == 60
    again = look(then(subject, decision), seen(site=Site(working=20)))
    assert not again.changed
    assert "metal3_delayed__provisioning_total" not in counted(again)
    free = look(then(subject, decision), seen(site=Site(working=19)))
    assert free.status.provisioning.state is S.PROVISIONING
    assert free.status.operational_status is OperationalStatus.OK


def test_deprovisioning_that_waits_for_capacity_has_a_counter_of_its_own() -> None:
    subject = host(S.PROVISIONED, provisioning=IN_USE)
    decision = look(subject, seen(S.PROVISIONED, site=Site(working=20)))
    assert "metal3_delayed__deprovisioning_total" in counted(decision)


def test_a_host_that_is_worked_on_already_keeps_its_place() -> None:
    full = Site(working=25, working_here=True)
    decision = look(host(S.INSPECTING), seen(S.INSPECTING, {Inspect: act()}, site=full))
    assert decision.calls


def test_work_that_has_not_begun_waits_for_capacity_inside_its_state_too() -> None:
    full = seen(S.INSPECTING, {Inspect: act()}, site=Site(working=20))
    decision = look(host(S.INSPECTING), full)
    assert not decision.calls
    assert decision.status.operational_status is OperationalStatus.DELAYED


RETRIED = {"provisioning_fail_count": 5, "last_attempted_image": IMAGE}


def test_at_the_retry_limit_the_error_is_told_in_available() -> None:
    decision = look(host(image=IMAGE, status=RETRIED), seen())
    assert decision.status.error_type is ErrorType.PROVISIONING
    assert "5 times" in decision.status.error_message


@pytest.mark.parametrize(
    ("spec", "state"),
    [
        ({"image": OTHER}, S.PROVISIONING),
        ({"image": type(IMAGE)(url=IMAGE.url, checksum="new")}, S.PROVISIONING),
        ({}, S.AVAILABLE),
    ],
    ids=["another image", "another checksum", "no image"],
)
def test_the_retries_are_counted_anew_for_another_image(spec: dict[str, Any], state: S) -> None:
    decision = look(host(status=RETRIED, **spec), seen())
    assert decision.status.provisioning_fail_count == 0
    assert decision.status.provisioning.state is state


def test_no_limit_retries_for_ever() -> None:
    settings = Settings(provisioning_retries=0)
    decision = look(host(image=IMAGE, status=RETRIED), seen(), settings=settings)
    assert decision.status.provisioning.state is S.PROVISIONING


def test_success_counts_anew() -> None:
    subject = host(S.PROVISIONING, image=IMAGE, provisioning=IN_USE, status=RETRIED)
    assert look(subject, seen(S.PROVISIONING)).status.provisioning_fail_count == 0


def test_a_custom_deploy_is_limited_too() -> None:
    method = CustomDeploy(method="install")
    subject = host(custom_deploy=method, status={"provisioning_fail_count": 5})
    limited = look(subject, seen())
    assert limited.status.error_type is ErrorType.PROVISIONING
    assert limited.status.provisioning.state is S.AVAILABLE
    edited = host(custom_deploy=CustomDeploy(method="other"), generation=2)
    edited = replace(edited, status=limited.status)
    assert look(edited, seen()).status.provisioning.state is S.PROVISIONING


def test_preparing_is_not_limited_by_capacity() -> None:
    full = seen(S.PREPARING, {Prepare: act()}, site=Site(working=20))
    assert look(host(S.PREPARING), full).calls


def test_waiting_for_a_ramdisk_is_counted_once() -> None:
    subject = host(S.INSPECTING)
    first = look(subject, seen(S.INSPECTING, ramdisk=PENDING))
    assert "metal3_waiting_for_preprov_image_total" in counted(first)
    again = look(then(subject, first), seen(S.INSPECTING, ramdisk=PENDING))
    assert "metal3_waiting_for_preprov_image_total" not in counted(again)
    assert not again.changed
    ready = look(then(subject, first), seen(S.INSPECTING, {Inspect: wait()}))
    assert condition(ready, "WaitingForRamdisk") is None


def test_a_failed_retry_after_a_failure_in_registering_waits_longer() -> None:
    subject = failed_host(S.INSPECTING, ErrorType.INSPECTION, status={"error_count": 2})
    decision = look(subject, seen(S.INSPECTING, {Inspect: broken()}))
    assert decision.status.error_count == 3
