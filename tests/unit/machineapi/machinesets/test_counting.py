"""The status of a set."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ingot.machineapi.machinesets.counting import counted, judge, mistaken, next_available
from ingot.machineapi.machinesets.members import Member, belongs, is_orphan, member
from ingot.machineapi.observing import condition
from tests.unit.machineapi.objects import machine, machine_set, node

NOW = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)  # a minute after the Nodes became ready
CREW = [
    Member(name="a", ready=True, ready_for=60),
    Member(name="b", ready=True, ready_for=5),
    Member(name="c", labelled=False),
    Member(name="d", going=True, ready=True, ready_for=60),
]


def test_machines_that_are_going_are_not_counted() -> None:
    model = machine_set(spec={"minReadySeconds": 30}).model
    status, _ = counted(model, CREW, generation=3, now=NOW)
    assert (status.replicas, status.ready_replicas, status.available_replicas) == (3, 2, 1)
    assert (status.fully_labeled_replicas, status.observed_generation) == (2, 3)
    assert status.label_selector == "set=workers"


def test_the_next_look_is_when_the_next_machine_is_ready_for_long_enough() -> None:
    model = machine_set(spec={"minReadySeconds": 30}).model
    assert next_available(model, CREW) == 25
    assert next_available(machine_set().model, CREW) is None


def test_a_set_says_that_its_machines_wait_and_why() -> None:
    waiting = [Member(name="b", waits="no host is free"), Member(name="a", waits="none")]
    status, _ = counted(machine_set().model, waiting, generation=1, now=NOW)
    found = condition(status.conditions, "HostsFound")
    assert found is not None
    assert (found.status, found.reason) == ("False", "WaitingForHosts")
    assert found.message == "2 of 2 Machines have no host; a: none"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"labels": {"set": "other"}}, "does not match spec.template.metadata.labels"),
        ({"selector": {}}, "spec.selector is empty"),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "x"}]}},
            "spec.selector.matchExpressions[0].operator 'x'",
        ),
    ],
)
def test_a_set_that_cannot_have_machines_is_told_why(given: dict[str, Any], told: str) -> None:
    (only,) = judge(machine_set(**given).model)
    assert told in only


def test_a_good_set_has_no_mistakes() -> None:
    assert judge(machine_set().model) == []


def test_a_mistake_is_an_error_of_the_set_until_it_is_corrected() -> None:
    model = machine_set().model
    wrong, said = mistaken(model, ["it is wrong"], generation=1, now=NOW)
    assert (wrong.error_reason, wrong.error_message) == ("InvalidConfiguration", "it is wrong")
    assert said[0].holds is False
    right, _ = counted(machine_set().model, [], generation=2, now=NOW)
    assert right.error_reason == ""


def owned(uid: str, *, controller: bool = True) -> dict[str, Any]:
    reference = {"apiVersion": "v1", "kind": "MachineSet", "name": "workers", "uid": uid}
    return {"ownerReferences": [{**reference, "controller": controller}]}


def test_a_machine_belongs_to_the_set_that_controls_it() -> None:
    assert belongs(machine(**owned("u")), "u")
    assert not belongs(machine(**owned("u", controller=False)), "u")
    assert not belongs(machine(**owned("other")), "u")


def test_only_a_machine_of_nobody_that_fits_and_stays_is_adopted() -> None:
    model = machine_set().model
    fits: dict[str, Any] = {"labels": {"set": "workers"}}
    assert is_orphan(machine(**fits), model)
    assert not is_orphan(machine(), model)
    assert not is_orphan(machine(**fits, **owned("other")), model)
    assert not is_orphan(machine(**fits, deletionTimestamp="2026-01-01T00:00:00Z"), model)


def test_a_member_is_ready_as_its_node_is() -> None:
    one = machine(
        status={
            "nodeRef": {"kind": "Node", "name": "host-0"},
            "conditions": [
                {
                    "type": "HostClaimed",
                    "status": "True",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
            ],
        },
        labels={"set": "workers"},
    )
    seen = member(one, machine_set().model, lambda _: node(), now=NOW)
    assert (seen.hosted, seen.linked, seen.ready, seen.ready_for) == (True, True, True, 60)
    assert seen.labelled


def test_a_member_whose_node_is_gone_is_not_ready() -> None:
    one = machine(status={"nodeRef": {"kind": "Node", "name": "host-0"}})
    seen = member(one, machine_set().model, lambda _: None, now=NOW)
    assert (seen.linked, seen.ready, seen.labelled) == (False, False, False)


@pytest.mark.parametrize(
    "name", ["machine.openshift.io/delete-machine", "cluster.x-k8s.io/delete-machine"]
)
def test_a_member_is_chosen_by_either_annotation(name: str) -> None:
    one = machine(annotations={name: ""})
    assert member(one, machine_set().model, lambda _: None, now=NOW).chosen


@pytest.mark.parametrize("status", [{"phase": "Failed"}, {"errorReason": "HostGone"}])
def test_a_member_that_cannot_go_on_has_failed(status: dict[str, str]) -> None:
    one = machine(status=status)
    assert member(one, machine_set().model, lambda _: None, now=NOW).failed
