"""Pausing, taking charge, and what is taken over from elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.metal3.api import annotation
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.node.goal import (
    PowerOff,
    Prepare,
    Register,
)
from tests.unit.metal3.host.asking import Asked
from tests.unit.metal3.host.hosts import (
    HARDWARE,
    IMAGE,
    S,
    act,
    host,
    look,
    reasons,
    seen,
    unseen,
)


def test_a_paused_host_is_left_alone_for_as_long_as_it_takes() -> None:
    for going in (None, 0.0):
        subject = host(image=IMAGE, going=going, annotations={annotation.PAUSED: "metal3.io/capm3"})
        decision = look(subject, seen())
        assert not decision.changed
        assert not decision.calls
        assert decision.requeue_after is None


def test_the_finalizer_is_written_before_anything_is_done() -> None:
    subject = host(S.NONE, finalizers=())
    decision = look(subject, unseen())
    assert decision.finalizer.name == "ADD"
    assert not decision.changed
    assert not decision.calls


STATUS = """{"operationalStatus": "OK", "errorMessage": "", "poweredOn": true, "errorCount": 0,
 "provisioning": {"ID": "node-1", "state": "provisioned",
 "image": {"url": "http://images/os.raw"}}, "someNewField": 1}"""


def test_a_status_that_moved_here_is_taken_over() -> None:
    lost = host(S.NONE, image=IMAGE, annotations={annotation.STATUS: STATUS}, finalizers=())
    lost = replace(lost, status=type(lost.status)())
    decision = look(lost, unseen())
    assert decision.status.provisioning.state is S.PROVISIONED
    assert decision.status.last_updated is not None
    assert decision.annotations_removed == (annotation.STATUS,)


@pytest.mark.parametrize("text", ["{", "[]", '{"errorCount": "many"}', "\x00", "1" * 5000])
def test_a_status_that_cannot_be_read_holds_the_host(text: str) -> None:
    lost = host(S.NONE, annotations={annotation.STATUS: text})
    lost = replace(lost, status=type(lost.status)())
    decision = look(lost, unseen(answers={Register: act()}))
    assert not decision.changed
    assert not decision.calls
    assert reasons(decision) == {"InvalidAnnotationValue"}


def test_a_status_that_cannot_be_read_does_not_hold_a_deletion() -> None:
    lost = host(S.NONE, going=0, annotations={annotation.STATUS: "{"})
    lost = replace(lost, status=type(lost.status)())
    assert look(lost, unseen()).status.provisioning.state is S.DELETING


def test_a_stale_status_annotation_is_removed() -> None:
    subject = host(annotations={annotation.STATUS: STATUS})
    decision = look(subject, seen())
    assert decision.annotations_removed == (annotation.STATUS,)
    assert decision.status.provisioning.state is S.AVAILABLE


DESCRIBED = {
    annotation.INSPECT: "disabled",
    annotation.HARDWARE_DETAILS: '{"cpu": {"arch": "x86_64"}}',
}


def test_hardware_that_somebody_describes_is_taken_over() -> None:
    decision = look(host(S.REGISTERING, annotations=DESCRIBED), seen(S.REGISTERING))
    assert decision.status.hardware is not None
    assert decision.hardware_data == decision.status.hardware
    assert decision.annotations_removed == (annotation.HARDWARE_DETAILS,)
    assert decision.architecture == "x86_64"
    assert "UpdateHardwareDetails" in reasons(decision)


def test_hardware_is_not_taken_from_an_annotation_where_it_is_inspected() -> None:
    only = {annotation.HARDWARE_DETAILS: DESCRIBED[annotation.HARDWARE_DETAILS]}
    decision = look(host(S.REGISTERING, annotations=only), seen(S.REGISTERING))
    assert decision.status.hardware is None
    assert not decision.annotations_removed


@pytest.mark.parametrize("text", ["{", '{"cpus": 4}', "[" * 3000])
def test_hardware_that_cannot_be_read_is_told_and_dropped(text: str) -> None:
    described = {**DESCRIBED, annotation.HARDWARE_DETAILS: text}
    decision = look(host(S.REGISTERING, annotations=described), seen(S.REGISTERING))
    assert "InvalidAnnotationValue" in reasons(decision)
    assert decision.annotations_removed == (annotation.HARDWARE_DETAILS,)
    assert decision.hardware_data is None


def test_hardware_data_fills_a_status_without_hardware() -> None:
    assert look(host(), seen(hardware_data=HARDWARE)).status.hardware == HARDWARE


@pytest.mark.parametrize("state", [S.DELETING, S.POWERING_OFF_BEFORE_DELETE])
def test_a_status_that_leaves_without_a_deletion_is_brought_back(state: S) -> None:
    decision = look(host(state), seen(answers={PowerOff: act()}))
    assert decision.status.provisioning.state is S.REGISTERING
    assert not decision.calls


def test_root_hints_of_a_profile_are_used_where_it_is_named() -> None:
    asked = Asked(seen(S.PREPARING))
    look(host(S.PREPARING, hardware_profile="libvirt"), asked.seen)
    goal = next(goal for goal in asked.goals if isinstance(goal, Prepare))
    assert goal.root_hints == RootDeviceHints(device_name="/dev/vda")
