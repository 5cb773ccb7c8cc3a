"""The status of a Machine, from its host and its Node."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingot.kube.object import KubeObject
from ingot.machineapi.api.machine import MachineStatus
from ingot.machineapi.hosts import Host
from ingot.machineapi.machines.settling import settle, unsettled
from ingot.machineapi.machines.words import MachineCondition, Reason
from ingot.machineapi.observing import Observation, condition
from tests.unit.machineapi.objects import IMAGE, host, node

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NEW = MachineStatus()


@pytest.mark.parametrize(
    ("state", "joined", "phase", "reason"),
    [
        ("available", False, "Provisioning", "Provisioning"),
        ("provisioning", False, "Provisioning", "Provisioning"),
        ("provisioned", False, "Provisioned", "Provisioned"),
        ("provisioned", True, "Running", "Provisioned"),
        ("externally provisioned", True, "Running", "Provisioned"),
        ("deprovisioning", True, "Provisioning", "Provisioning"),
    ],
)
def test_a_phase_follows_the_host_and_the_node(
    state: str,
    joined: bool,  # noqa: FBT001
    phase: str,
    reason: str,
) -> None:
    status = settle(NEW, host(state=state), node() if joined else None, now=NOW).status
    found = condition(status.conditions, MachineCondition.INSTANCE_EXISTS)
    assert found is not None
    assert (status.phase, found.reason) == (phase, reason)


def test_a_host_that_fails_is_told_with_its_own_words() -> None:
    failing = host(state="provisioning", status={"errorMessage": "the image cannot be fetched"})
    status = settle(NEW, failing, None, now=NOW).status
    found = condition(status.conditions, MachineCondition.INSTANCE_EXISTS)
    assert found is not None
    assert found.reason == Reason.HOST_ERROR
    assert "the image cannot be fetched" in found.message
    assert status.error_reason == ""


def failed(state: str, times: int) -> KubeObject[Host]:
    told = {
        "errorType": "provisioning error",
        "errorMessage": "provisioning failed, and is not tried again",
        "provisioningFailCount": times,
    }
    return host(state=state, spec={"image": IMAGE}, status=told)


def test_a_machine_whose_host_tries_no_more_has_failed_and_says_so() -> None:
    status = settle(NEW, failed("available", 5), None, now=NOW).status
    found = condition(status.conditions, MachineCondition.INSTANCE_EXISTS)
    assert found is not None
    assert (found.status, found.reason) == ("False", Reason.HOST_GAVE_UP)
    assert (status.phase, status.error_reason) == ("Failed", Reason.HOST_GAVE_UP)
    assert "metal3/host-0 has given up: provisioning failed" in status.error_message


@pytest.mark.parametrize(
    "seen", [failed("provisioning", 1), failed("deprovisioning", 4), failed("available", 0)]
)
def test_a_machine_whose_host_tries_again_has_not_failed(seen: KubeObject[Host]) -> None:
    status = settle(NEW, seen, None, now=NOW).status
    assert (status.phase, status.error_reason) == ("Provisioning", "")


def test_a_machine_whose_host_is_tried_again_after_all_has_no_error_any_more() -> None:
    before = settle(NEW, failed("available", 5), None, now=NOW).status
    after = settle(before, host(state="provisioning"), None, now=NOW).status
    assert (after.phase, after.error_reason, after.error_message) == ("Provisioning", "", "")


def test_a_machine_whose_host_is_deleted_has_failed_at_once() -> None:
    going = host(state="provisioned", deletionTimestamp="2026-01-01T00:00:00Z")
    status = settle(NEW, going, node(), now=NOW).status
    assert (status.phase, status.error_reason) == ("Failed", Reason.HOST_DELETING)


def test_a_node_is_referred_to_by_its_unique_id() -> None:
    reference = settle(NEW, host(state="provisioned"), node("n"), now=NOW).status.node_ref
    assert reference is not None
    assert (reference.kind, reference.name, reference.uid) == ("Node", "n", "uid-of-n")


def test_a_node_that_left_is_no_longer_referred_to() -> None:
    before = settle(NEW, host(state="provisioned"), node(), now=NOW).status
    assert settle(before, host(state="provisioned"), None, now=NOW).status.node_ref is None


def test_nothing_is_written_when_nothing_has_changed() -> None:
    before = settle(NEW, host(), None, now=NOW).status
    assert settle(before, host(), None, now=NOW + timedelta(hours=1)).status is before


def test_a_machine_that_waits_has_no_error() -> None:
    why = Observation(MachineCondition.HOST_CLAIMED, holds=False, reason="NoFreeHost", message="m")
    status = unsettled(NEW, why, needs_change=False, now=NOW).status
    assert (status.phase, status.error_reason) == ("Provisioning", "")


def test_a_mistake_that_was_corrected_is_forgotten() -> None:
    why = Observation(
        MachineCondition.HOST_CLAIMED, holds=False, reason="InvalidConfiguration", message="m"
    )
    before = unsettled(NEW, why, needs_change=True, now=NOW).status
    assert (before.phase, before.error_reason) == ("Failed", "InvalidConfiguration")
    after = settle(before, host(), None, now=NOW).status
    assert (after.phase, after.error_reason, after.error_message) == ("Provisioning", "", "")


def test_a_machine_that_lost_its_host_has_no_instance() -> None:
    why = Observation(MachineCondition.HOST_CLAIMED, holds=False, reason="HostGone", message="m")
    status = unsettled(NEW, why, needs_change=True, now=NOW).status
    found = condition(status.conditions, MachineCondition.INSTANCE_EXISTS)
    assert found is not None
    assert (found.status, found.reason) == ("False", "HostGone")
