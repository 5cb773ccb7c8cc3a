"""Who takes the place of a dead control-plane Machine."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.machineapi.api.providerspec import HostSelector
from ingot.machineapi.etcd import MemberSeen
from ingot.machineapi.healing.successor import (
    REPLACES,
    Blocked,
    ForgetMember,
    GiveUp,
    MakeSuccessor,
    Retire,
    name_after,
    plan,
    spare_selector,
    successor,
)

DEAD = MemberSeen(number="1", name="cp-0", healthy=False)
LIVING = (MemberSeen(number="2", name="cp-1"), MemberSeen(number="3", name="cp-2"))


def test_first_etcd_forgets_the_dead_member() -> None:
    assert plan("cp-0", [DEAD, *LIVING], made=False) == ForgetMember(DEAD)


def test_then_the_next_machine_is_made() -> None:
    assert plan("cp-0", LIVING, made=False) == MakeSuccessor()


def test_then_the_old_one_goes_though_the_spare_is_used_by_now() -> None:
    assert plan("cp-0", LIVING, made=True, obstacle="there is no spare") == Retire()


def test_without_a_spare_nothing_is_begun() -> None:
    step = plan("cp-0", [DEAD, *LIVING], made=False, obstacle="2 hosts: in use")
    assert step == GiveUp("2 hosts: in use"), "the old server is let go, and may come back"


def test_once_etcd_has_forgotten_the_old_member_a_spare_is_waited_for() -> None:
    assert plan("cp-0", LIVING, made=False, obstacle="2 hosts: in use") == Blocked(
        "2 hosts: in use"
    )


def test_without_a_healthy_majority_nothing_is_begun() -> None:
    sick = MemberSeen(number="3", name="cp-2", healthy=False)
    assert isinstance(plan("cp-0", [DEAD, LIVING[0], sick], made=False), GiveUp)


def test_nothing_goes_on_when_the_majority_is_lost_on_the_way() -> None:
    sick = MemberSeen(number="3", name="cp-2", healthy=False)
    assert isinstance(plan("cp-0", [LIVING[0], sick], made=False), Blocked)


@pytest.mark.parametrize(
    ("name", "after"), [("cp-0", "cp-0-r1"), ("cp-0-r1", "cp-0-r2"), ("cp-0-r9", "cp-0-r10")]
)
def test_successors_are_numbered(name: str, after: str) -> None:
    assert name_after(name) == after


def machine(**value: Any) -> dict[str, Any]:  # noqa: ANN401 - of a provider spec
    return {
        "metadata": {
            "name": "cp-0",
            "namespace": "metal3",
            "uid": "77",
            "resourceVersion": "5",
            "finalizers": ["machine.machine.openshift.io"],
            "labels": {"machine.openshift.io/cluster-api-machine-role": "master"},
            "annotations": {"metal3.io/BareMetalHost": "metal3/cp-0", "ingot.local/healing": "{}"},
        },
        "spec": {
            "providerID": "baremetalhost:///metal3/cp-0/1",
            "taints": [{"key": "a", "effect": "NoSchedule"}],
            "providerSpec": {"value": value},
        },
        "status": {"phase": "Running"},
    }


def test_a_successor_is_made_as_the_other_was_and_has_nothing_of_its_life() -> None:
    image = {"url": "http://image", "checksum": "1"}
    assert successor(machine(image=image), host="cp-0") == {
        "metadata": {
            "name": "cp-0-r1",
            "namespace": "metal3",
            "labels": {"machine.openshift.io/cluster-api-machine-role": "master"},
            "annotations": {REPLACES: "77"},
        },
        "spec": {
            "taints": [{"key": "a", "effect": "NoSchedule"}],
            "providerSpec": {
                "value": {
                    "image": image,
                    "hostSelector": {
                        "matchLabels": {"installer.openshift.io/role": "control-plane"}
                    },
                }
            },
        },
    }


def test_a_successor_is_as_choosy_as_the_other_and_takes_no_workers_host() -> None:
    asked = {"matchLabels": {"rack": "2"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]}
    made = successor(machine(hostSelector=asked), host="cp-0")
    assert made["spec"]["providerSpec"]["value"]["hostSelector"] == {
        "matchLabels": {"rack": "2", "installer.openshift.io/role": "control-plane"},
        "matchExpressions": [{"key": "a", "operator": "Exists"}],
    }
    assert spare_selector(HostSelector(match_labels={"rack": "2"})).match_labels == {
        "rack": "2",
        "installer.openshift.io/role": "control-plane",
    }


def test_the_other_hosts_own_user_data_is_not_handed_on() -> None:
    made = successor(machine(userData={"name": "cp-0-user-data"}), host="cp-0")
    assert "userData" not in made["spec"]["providerSpec"]["value"]


def test_user_data_of_all_is_handed_on() -> None:
    made = successor(machine(userData={"name": "master-user-data"}), host="cp-0")
    assert made["spec"]["providerSpec"]["value"]["userData"] == {"name": "master-user-data"}
