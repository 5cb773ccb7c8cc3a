"""Power and reboots: one case for each row of the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ingot.metal3.api import annotation
from ingot.metal3.api.states import ErrorType
from ingot.metal3.host.decision import DataImageStep
from ingot.metal3.host.observation import DataImageSeen, FirmwareSeen, NodeSeen
from ingot.metal3.host.settings import Settings
from ingot.metal3.node.goal import Inspect, PowerOff, PowerOn, Provision
from tests.unit.metal3.host.asking import Asked
from tests.unit.metal3.host.hosts import (
    IMAGE,
    N,
    S,
    act,
    counted,
    failed_host,
    host,
    look,
    reasons,
    seen,
    then,
    wait,
)

IN_USE: dict[str, Any] = {"image": IMAGE, "provisioning": {"image": IMAGE}}
ON = NodeSeen(id="node-1", state=N.ACTIVE, powered_on=True)
OFF = NodeSeen(id="node-1", state=N.ACTIVE, powered_on=False)
UNKNOWN = NodeSeen(id="node-1", state=N.ACTIVE)
BOTH = {PowerOn: act("on"), PowerOff: act("off")}
HELD = annotation.REBOOT_WITH_KEY + "fence"
OTHER = annotation.REBOOT_WITH_KEY + "other"


def goals(subject: Any, node: NodeSeen, answers: Any = None) -> list[object]:  # noqa: ANN401
    asked = Asked(seen(S.PROVISIONED, answers or BOTH, node=node))
    look(subject, asked.seen)
    return [goal for goal in asked.goals if isinstance(goal, PowerOn | PowerOff)]


ROWS: dict[str, tuple[dict[str, Any], NodeSeen, PowerOn | PowerOff | None]] = {
    "online, on: nothing": ({}, ON, None),
    "online, off: turned on": ({}, OFF, PowerOn()),
    "offline, on: soft": ({"online": False}, ON, PowerOff()),
    "offline, off: nothing": ({"online": False}, OFF, None),
    "power not known: nothing": ({"online": False}, UNKNOWN, None),
    "reboot: soft by default": ({"annotations": {annotation.REBOOT: ""}}, ON, PowerOff()),
    "reboot: hard when asked": (
        {"annotations": {annotation.REBOOT: '{"mode": "hard"}'}}, ON, PowerOff(hard=True),
    ),
    "reboot: what cannot be read is soft": (
        {"annotations": {annotation.REBOOT: "{hard"}}, ON, PowerOff(),
    ),
    "held: turned off": ({"annotations": {HELD: ""}}, ON, PowerOff()),
    "held: stays off": ({"annotations": {HELD: ""}}, OFF, None),
    "held by two: hard wins": (
        {"annotations": {HELD: '{"mode": "soft"}', OTHER: '{"mode": "hard"}'}}, ON,
        PowerOff(hard=True),
    ),
    "offline and disablePowerOff: stays on": (
        {"online": False, "disable_power_off": True}, ON, None,
    ),
    "disablePowerOff: a reboot is sent": (
        {"disable_power_off": True, "annotations": {annotation.REBOOT: ""}}, ON, PowerOff(),
    ),
    "disablePowerOff: a hard reboot is sent": (
        {"disable_power_off": True, "annotations": {annotation.REBOOT: '{"mode": "hard"}'}}, ON,
        PowerOff(hard=True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("state", [S.PROVISIONED, S.EXTERNALLY_PROVISIONED])
def test_power(row: str, state: S) -> None:
    said, node, expected = ROWS[row]
    external = {"externally_provisioned": True} if state is S.EXTERNALLY_PROVISIONED else IN_USE
    found = goals(host(state, **{**external, **said}), node)
    assert (found[0] if found else None) == expected


def test_a_power_off_is_hard_after_a_recorded_error() -> None:
    subject = failed_host(S.PROVISIONED, ErrorType.POWER_MANAGEMENT, online=False, **IN_USE)
    assert goals(subject, ON)[0] == PowerOff(hard=True, force=True)


@pytest.mark.parametrize(
    ("state", "spec"),
    [(S.AVAILABLE, {}), (S.PREPARING, {}), (S.DEPROVISIONING, {"provisioning": {"image": IMAGE}})],
)
def test_a_reboot_is_ignored_where_the_host_is_not_in_use(state: S, spec: dict[str, Any]) -> None:
    subject = host(state, annotations={annotation.REBOOT: ""}, **spec)
    asked = Asked(seen(state, BOTH))
    decision = look(subject, asked.seen)
    assert not any(isinstance(goal, PowerOff) for goal in asked.goals)
    assert annotation.REBOOT not in decision.annotations_removed


def test_the_reboot_annotation_goes_when_the_host_is_off_and_then_it_is_turned_on() -> None:
    subject = host(S.PROVISIONED, annotations={annotation.REBOOT: ""}, **IN_USE)
    begun = look(subject, seen(S.PROVISIONED, BOTH))
    assert begun.calls == ("off",)
    assert begun.annotations_removed == ()
    off = look(subject, seen(S.PROVISIONED, BOTH, node=OFF))
    assert off.annotations_removed == (annotation.REBOOT,)
    assert off.requeue_after == 0
    on = look(then(subject, off), seen(S.PROVISIONED, BOTH, node=OFF))
    assert on.calls == ("on",)


def test_the_annotation_of_a_holder_is_never_removed() -> None:
    subject = host(S.PROVISIONED, annotations={HELD: "", annotation.REBOOT: ""}, **IN_USE)
    off = look(subject, seen(S.PROVISIONED, BOTH, node=OFF))
    assert off.annotations_removed == (annotation.REBOOT,)
    held = look(then(subject, off), seen(S.PROVISIONED, BOTH, node=OFF))
    assert not held.calls
    assert "fence" in held.explanation


@pytest.mark.parametrize("answer", [act("abort"), wait()])
def test_force_in_inspecting_begins_it_anew(answer: Any) -> None:  # noqa: ANN401
    forced = {annotation.REBOOT: '{"force": true}'}
    node = NodeSeen(id="node-1", state=N.INSPECT_WAIT, powered_on=True)
    asked = Asked(seen(S.INSPECTING, {Inspect: answer}, node=node))
    decision = look(host(S.INSPECTING, annotations=forced), asked.seen)
    inspections = [goal for goal in asked.goals if isinstance(goal, Inspect)]
    assert inspections[0].forced_reboot
    removed = annotation.REBOOT in decision.annotations_removed
    assert removed == bool(decision.calls)


def test_force_in_provisioning_begins_it_anew() -> None:
    forced = {annotation.REBOOT: '{"force": true}'}
    asked = Asked(seen(S.PROVISIONING, {Provision: act("deleted")}))
    decision = look(host(S.PROVISIONING, annotations=forced, **IN_USE), asked.seen)
    assert [goal.forced_reboot for goal in asked.goals if isinstance(goal, Provision)] == [True]
    assert decision.annotations_removed == (annotation.REBOOT,)


def test_without_force_nothing_begins_anew() -> None:
    asked = Asked(seen(S.PROVISIONING, {Provision: wait()}))
    look(host(S.PROVISIONING, annotations={annotation.REBOOT: ""}, **IN_USE), asked.seen)
    assert not [goal for goal in asked.goals if isinstance(goal, Provision) and goal.forced_reboot]


def test_with_disable_power_off_the_annotation_goes_with_the_reboot() -> None:
    subject = host(
        S.PROVISIONED, disable_power_off=True, annotations={annotation.REBOOT: ""}, **IN_USE
    )
    decision = look(subject, seen(S.PROVISIONED, BOTH))
    assert decision.calls == ("off",)
    assert decision.annotations_removed == (annotation.REBOOT,)
    assert all(event.reason and event.message for event in decision.events)


def test_with_disable_power_off_a_holder_gets_one_reboot() -> None:
    subject = host(S.PROVISIONED, disable_power_off=True, annotations={HELD: ""}, **IN_USE)
    first = look(subject, seen(S.PROVISIONED, BOTH))
    assert first.calls == ("off",)
    again = look(then(subject, first), seen(S.PROVISIONED, BOTH))
    assert not again.calls
    another = host(
        S.PROVISIONED, disable_power_off=True, annotations={HELD: "", OTHER: ""}, **IN_USE
    )
    another = replace(another, status=first.status)
    assert look(another, seen(S.PROVISIONED, BOTH)).calls == ("off",)


def test_a_busy_ironic_is_waited_for() -> None:
    subject = host(S.PROVISIONED, online=False, **IN_USE)
    decision = look(subject, seen(S.PROVISIONED, {PowerOff: wait()}))
    assert not decision.calls
    assert decision.requeue_after == 10


def test_a_node_with_a_power_fault_is_waited_for_without_a_change_of_state() -> None:
    broken = NodeSeen(id="node-1", state=N.ACTIVE, powered_on=False, fault="power failure")
    subject = host(S.PROVISIONED, **IN_USE)
    decision = look(subject, seen(S.PROVISIONED, BOTH, node=broken))
    assert decision.requeue_after == 10
    assert not decision.calls
    assert decision.status.provisioning.state is S.PROVISIONED


def test_the_status_follows_power_that_changed_behind_us() -> None:
    subject = host(S.PROVISIONED, status={"powered_on": True}, **IN_USE)
    decision = look(subject, seen(S.PROVISIONED, BOTH, node=OFF))
    assert decision.status.powered_on is False
    assert decision.calls == ("on",)


def test_power_changes_are_told_and_counted() -> None:
    subject = host(S.PROVISIONED, **IN_USE)
    on = look(subject, seen(S.PROVISIONED, BOTH, node=OFF))
    assert reasons(on) == {"PowerOn"}
    assert "metal3_operation_power_change_total" in counted(on)


def test_a_data_image_is_changed_before_the_server_is_turned_on() -> None:
    subject = host(S.PROVISIONED, **IN_USE)
    wanted = DataImageSeen(wanted="http://x/data.iso")
    first = look(subject, seen(S.PROVISIONED, BOTH, node=OFF, data_image=wanted))
    assert first.data_image is DataImageStep.ATTACH
    assert not first.calls
    gone = DataImageSeen(attached="http://x/data.iso")
    assert look(subject, seen(S.PROVISIONED, BOTH, node=OFF, data_image=gone)).data_image is (
        DataImageStep.DETACH
    )
    there = DataImageSeen(wanted="u", attached="u")
    assert look(subject, seen(S.PROVISIONED, BOTH, node=OFF, data_image=there)).calls == ("on",)


def test_a_data_image_that_cannot_be_inserted_does_not_keep_the_server_off() -> None:
    wanted = DataImageSeen(wanted="u", failures=Settings().data_image_tries)
    observed = seen(S.PROVISIONED, BOTH, node=OFF, data_image=wanted)
    assert look(host(S.PROVISIONED, **IN_USE), observed).calls == ("on",)


def test_a_data_image_waits_for_the_next_power_cycle() -> None:
    wanted = seen(S.PROVISIONED, BOTH, data_image=DataImageSeen(wanted="u"))
    decision = look(host(S.PROVISIONED, **IN_USE), wanted)
    assert decision.data_image is None
    assert not decision.calls


def test_an_available_host_is_turned_on_and_off_as_wanted() -> None:
    off = NodeSeen(id="node-1", state=N.AVAILABLE, powered_on=False)
    assert look(host(), seen(S.AVAILABLE, BOTH, node=off)).calls == ("on",)
    assert look(host(online=False), seen(S.AVAILABLE, BOTH)).calls == ("off",)


def test_firmware_alone_never_turns_a_running_host_off() -> None:
    firmware = FirmwareSeen(asked=True, settings={"a": "b"}, settings_on_reboot=True)
    decision = look(host(S.PROVISIONED, **IN_USE), seen(S.PROVISIONED, BOTH, firmware=firmware))
    assert not decision.calls
