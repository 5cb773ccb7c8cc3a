"""Each kind of error: what causes it, how it is told, and what the next try does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.events import ERROR_EVENTS
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.api.states import ErrorType, OperationalStatus
from ingot.metal3.host.decision import FirmwareRecord
from ingot.metal3.host.observation import (
    CredentialsGood,
    CredentialsMissing,
    CredentialsUnusable,
    DeployData,
    DeployProblem,
    FirmwareSeen,
    NodeSeen,
    Observation,
    RamdiskSeen,
    RamdiskState,
)
from ingot.metal3.node.goal import (
    Adopt,
    Deprovision,
    Goal,
    Inspect,
    PowerOff,
    PowerOn,
    Prepare,
    Provision,
    Register,
    Service,
)
from tests.unit.metal3.host.asking import Asked
from tests.unit.metal3.host.hosts import (
    IMAGE,
    Answers,
    N,
    S,
    act,
    broken,
    condition,
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
IN_USE: dict[str, Any] = {"image": IMAGE, "provisioning": INSTALLED}
OFF = NodeSeen(id="node-1", state=N.ACTIVE, powered_on=False)
SERVICED = FirmwareSeen(asked=True, settings={"a": "b"}, settings_on_reboot=True)
SERVICING = {"operational_status": OperationalStatus.SERVICING}
PROBLEM = DeployProblem(kind="imageAuth", why="the Secret has no registry of that name")

E = ErrorType

ROWS: dict[str, tuple[BareMetalHost, Observation[str], ErrorType]] = {
    "registration error: BMC Secret missing": (
        host(S.REGISTERING), unseen(credentials=CredentialsMissing()), E.REGISTRATION,
    ),
    "registration error: bad credentials": (
        host(S.REGISTERING), unseen(credentials=CredentialsUnusable("no password")), E.REGISTRATION,
    ),
    "registration error: enroll or verify failure": (
        host(S.REGISTERING), seen(S.REGISTERING, {Register: broken()}), E.REGISTRATION,
    ),
    "registration error: unknown scheme, MAC conflict, unsupported feature": (
        host(S.REGISTERING), unseen(answers={Register: broken(retryable=False)}), E.REGISTRATION,
    ),
    "registration error: the ramdisk cannot be made": (
        host(S.REGISTERING),
        seen(ramdisk=RamdiskSeen(state=RamdiskState.FAILED, why="no network data")),
        E.REGISTRATION,
    ),
    "registration error: unknown hardware profile": (
        host(S.REGISTERING, hardware_profile="mainframe"), seen(S.REGISTERING), E.REGISTRATION,
    ),
    "provisioned registration error: adoption failed": (
        host(S.PROVISIONED, **IN_USE), seen(S.PROVISIONED, {Adopt: broken()}),
        E.PROVISIONED_REGISTRATION,
    ),
    "inspection error: inspect failed": (
        host(S.INSPECTING), seen(S.INSPECTING, {Inspect: broken()}), E.INSPECTION,
    ),
    "preparation error: clean failed": (
        host(S.PREPARING), seen(S.PREPARING, {Prepare: broken()}), E.PREPARATION,
    ),
    "provisioning error: deploy failed": (
        host(S.PROVISIONING, **IN_USE), seen(S.PROVISIONING, {Provision: broken()}),
        E.PROVISIONING,
    ),
    "provisioning error: deprovision failed": (
        host(S.DEPROVISIONING, provisioning=INSTALLED),
        seen(S.DEPROVISIONING, {Deprovision: broken()}), E.PROVISIONING,
    ),
    "provisioning error: image auth problem": (
        host(image=IMAGE), seen(deploy=DeployData(problem=PROBLEM)), E.PROVISIONING,
    ),
    "provisioning error: image auth problem found late": (
        host(S.PROVISIONING, **IN_USE),
        seen(S.PROVISIONING, {Provision: act()}, deploy=DeployData(problem=PROBLEM)),
        E.PROVISIONING,
    ),
    "provisioning error: retry limit": (
        host(image=IMAGE, status={"provisioning_fail_count": 5, "last_attempted_image": IMAGE}),
        seen(), E.PROVISIONING,
    ),
    "power management error: power on failed": (
        host(S.PROVISIONED, **IN_USE), seen(S.PROVISIONED, {PowerOn: broken()}, node=OFF),
        E.POWER_MANAGEMENT,
    ),
    "power management error: power off failed": (
        host(S.PROVISIONED, online=False, **IN_USE), seen(S.PROVISIONED, {PowerOff: broken()}),
        E.POWER_MANAGEMENT,
    ),
    "servicing error: service failed": (
        host(S.PROVISIONED, status=SERVICING, **IN_USE),
        seen(S.PROVISIONED, {Service: broken()}, node=OFF, firmware=SERVICED), E.SERVICING,
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_error(row: str) -> None:
    subject, observed, kind = ROWS[row]
    decision = look(subject, observed)
    status = decision.status
    assert status.error_type is kind
    assert status.error_message
    assert status.error_count == 1
    assert status.operational_status is OperationalStatus.ERROR
    assert condition(decision, "BackingOff") == ("True", ERROR_EVENTS[kind])
    assert decision.requeue_after
    warnings = {event.reason for event in decision.events if event.type == "Warning"}
    assert ERROR_EVENTS[kind] in warnings
    assert ("metal3_host_error_total", {"error_type": ERROR_EVENTS[kind]}) in [
        (count.name, count.labels) for count in decision.counts
    ]
    assert not decision.calls


AGAIN: dict[str, tuple[BareMetalHost, Observation[str], Goal]] = {
    "registration error: registered again": (
        failed_host(S.REGISTERING, E.REGISTRATION), seen(), Register(again=True),
    ),
    "provisioned registration error: adopted again": (
        failed_host(S.PROVISIONED, E.PROVISIONED_REGISTRATION, **IN_USE), seen(S.PROVISIONED),
        Adopt(instance_uuid=host().metadata.uid, image=IMAGE, again=True),
    ),
    "inspection error: inspected again": (
        failed_host(S.INSPECTING, E.INSPECTION), seen(S.INSPECTING),
        Inspect(mode="agent", again=True),  # type: ignore[arg-type]
    ),
    "preparation error: prepared again": (
        failed_host(S.PREPARING, E.PREPARATION), seen(S.PREPARING),
        Prepare(started=True, again=True),
    ),
    "provisioning error in deprovisioning: deprovisioned again": (
        failed_host(S.DEPROVISIONING, E.PROVISIONING), seen(S.DEPROVISIONING),
        Deprovision(again=True),
    ),
    "power management error: forced, and hard": (
        failed_host(S.PROVISIONED, E.POWER_MANAGEMENT, online=False, **IN_USE),
        seen(S.PROVISIONED), PowerOff(hard=True, force=True),
    ),
    "power management error: turned on by force": (
        failed_host(S.PROVISIONED, E.POWER_MANAGEMENT, **IN_USE), seen(S.PROVISIONED, node=OFF),
        PowerOn(force=True),
    ),
    "servicing error: serviced again": (
        failed_host(S.PROVISIONED, E.SERVICING, **IN_USE),
        seen(S.PROVISIONED, node=OFF, firmware=SERVICED),
        Service(bios={"a": "b"}, again=True),
    ),
    "servicing error: withdrawn when nothing is asked any more": (
        failed_host(S.PROVISIONED, E.SERVICING, **IN_USE), seen(S.PROVISIONED, node=OFF),
        Service(started=True, again=True, withdrawn=True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", AGAIN)
def test_the_next_try(row: str) -> None:
    subject, observed, goal = AGAIN[row]
    asked = Asked(observed)
    look(subject, asked.seen)
    assert goal in asked.goals


def test_a_failed_preparation_forgets_what_it_was_made_with() -> None:
    made = {"root_device_hints": RootDeviceHints(hctl="0:0:0:0"), "raid": RAID()}
    subject = host(S.PREPARING, provisioning=made)
    decision = look(subject, seen(S.PREPARING, {Prepare: broken()}))
    assert decision.status.provisioning.raid is None
    assert decision.status.provisioning.root_device_hints is None
    assert decision.firmware_updates is FirmwareRecord.CLEAR


def test_an_error_is_taken_back_when_the_next_try_is_under_way_but_its_count_is_not() -> None:
    subject = failed_host(S.INSPECTING, E.INSPECTION, status={"error_count": 3})
    decision = look(subject, seen(S.INSPECTING, {Inspect: act()}))
    assert decision.status.error_type is None
    assert decision.status.error_message == ""
    assert decision.status.error_count == 3
    assert decision.status.operational_status is OperationalStatus.OK


def test_a_state_that_completes_forgets_its_failures() -> None:
    subject = failed_host(S.PREPARING, E.PREPARATION)
    decision = look(subject, seen(S.PREPARING))
    assert decision.status.error_count == 0
    assert decision.status.error_type is None


def test_power_that_reaches_its_goal_forgets_its_failures() -> None:
    subject = failed_host(S.PROVISIONED, E.POWER_MANAGEMENT, **IN_USE)
    decision = look(subject, seen(S.PROVISIONED))
    assert decision.status.error_count == 0
    assert decision.status.error_type is None


def test_a_failure_in_provisioning_is_counted_when_it_is_taken_back() -> None:
    subject = failed_host(S.PROVISIONING, E.PROVISIONING, **IN_USE)
    assert look(subject, seen(S.PROVISIONING)).status.provisioning_fail_count == 1


def test_a_bmc_that_was_out_of_reach_for_a_while_does_not_cost_the_deployment() -> None:
    subject = failed_host(S.PROVISIONING, E.REGISTRATION, **IN_USE)
    decision = look(subject, seen(S.PROVISIONING, {Provision: wait()}))
    assert decision.status.provisioning.state is S.PROVISIONING
    assert decision.status.error_type is None


def test_an_error_without_a_reason_says_that() -> None:
    decision = look(host(S.INSPECTING), seen(S.INSPECTING, {Inspect: broken("")}))
    assert decision.status.error_message == "no reason was given"


@pytest.mark.parametrize(
    ("credentials", "metric"),
    [
        (CredentialsMissing(), "metal3_credentials_missing_total"),
        (CredentialsUnusable("no password"), "metal3_credentials_invalid_total"),
    ],
    ids=["missing", "unusable"],
)
def test_broken_credentials_are_told_once(credentials: Any, metric: str) -> None:  # noqa: ANN401
    subject = host(S.PROVISIONED, **IN_USE)
    first = look(subject, seen(S.PROVISIONED, credentials=credentials))
    assert metric in counted(first)
    assert "BMCCredentialError" in reasons(first)
    assert first.status.provisioning.state is S.PROVISIONED
    again = look(then(subject, first), seen(S.PROVISIONED, credentials=credentials), after=10)
    assert not again.changed
    assert not again.events


INPUTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "spec": ({"generation": 2}, {}),
    "credentials": ({}, {"credentials": CredentialsGood("2")}),
    "reboot annotation": ({"annotations": {annotation.REBOOT: ""}}, {}),
    "reboot annotation with a key": ({"annotations": {annotation.REBOOT_WITH_KEY + "x": ""}}, {}),
    "inspect annotation": ({"annotations": {annotation.INSPECT: ""}}, {}),
    "ramdisk": ({}, {"ramdisk": RamdiskSeen(version="2")}),
    "firmware": ({}, {"firmware": FirmwareSeen(settings={"a": "b"})}),
}


@pytest.mark.parametrize("changed", INPUTS)
def test_a_changed_input_ends_a_back_off_at_once(changed: str) -> None:
    subject = host(S.INSPECTING, status={"error_count": 8})
    failed = look(subject, seen(S.INSPECTING, {Inspect: broken()}))
    assert (failed.requeue_after or 0) > 4 * 3600
    still = look(then(subject, failed), seen(S.INSPECTING, {Inspect: act()}), after=60)
    assert not still.calls
    meta, facts = INPUTS[changed]
    edited = host(S.INSPECTING, **meta)
    edited = replace(edited, status=failed.status)
    answers: Answers = {Inspect: act()}
    if changed == "credentials":
        answers = {Register: act()}
    now = look(edited, seen(S.INSPECTING, answers, **facts), after=60)
    assert now.calls
    assert now.status.error_count == 0


def test_an_annotation_that_does_not_matter_ends_no_back_off() -> None:
    subject = host(S.INSPECTING)
    failed = look(subject, seen(S.INSPECTING, {Inspect: broken()}))
    noted = host(S.INSPECTING, annotations={"somebody/else": "x"})
    noted = replace(noted, status=failed.status)
    assert not look(noted, seen(S.INSPECTING, {Inspect: act()}), after=1).calls


def test_an_error_of_upstreams_operator_is_tried_again_at_once() -> None:
    subject = failed_host(S.INSPECTING, E.INSPECTION)
    assert look(subject, seen(S.INSPECTING, {Inspect: act()})).calls
