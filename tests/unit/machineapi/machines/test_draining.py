"""Which pods keep a Node from being empty."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ingot.kube.object import KubeObject
from ingot.machineapi.machines.draining import look, told
from ingot.machineapi.nodes import Pod
from tests.unit.machineapi.objects import pod

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
OVERDUE: dict[str, Any] = {"deletionTimestamp": "2026-01-01T11:59:00Z"}
LEAVING: dict[str, Any] = {"deletionTimestamp": "2026-01-01T12:00:30Z"}


def owned(kind: str) -> dict[str, Any]:
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": "x", "uid": "u"}
    return {"ownerReferences": [{**reference, "controller": True}]}


@pytest.mark.parametrize(
    ("one", "place"),
    [
        (pod(), "staying"),
        (pod(**owned("ReplicaSet")), "staying"),
        (pod(phase="Pending"), "staying"),
        (pod(**LEAVING), "leaving"),
        (pod(**OVERDUE), "leaving"),
        (pod(**owned("DaemonSet")), "nowhere"),
        (pod(phase="Succeeded"), "nowhere"),
        (pod(phase="Failed"), "nowhere"),
        (pod(annotations={"kubernetes.io/config.mirror": "h"}), "nowhere"),
    ],
)
def test_a_pod_of_a_node_that_answers_is(one: KubeObject[Pod], place: str) -> None:
    seen = look([one], answers=True, now=NOW)
    expected = {"staying": ((one,), ()), "leaving": ((), (one,)), "nowhere": ((), ())}
    assert (seen.staying, seen.leaving) == expected[place]


def test_nobody_waits_for_a_dead_kubelet_to_say_that_a_pod_has_ended() -> None:
    assert look([pod(**OVERDUE)], answers=False, now=NOW).is_empty


def test_a_pod_has_its_time_even_on_a_node_that_does_not_answer() -> None:
    assert not look([pod(**LEAVING)], answers=False, now=NOW).is_empty


def test_what_is_left_is_named_and_first_what_may_not_go() -> None:
    pods = [pod(f"web-{number}") for number in range(7)]
    seen = look(pods, answers=True, now=NOW)
    assert told("w-0", seen, [(pods[6], "its budget")]) == (
        "7 pods are left on Node w-0: metal3/web-6 (its budget), metal3/web-0, metal3/web-1,"
        " metal3/web-2, metal3/web-3 and 2 more"
    )


def test_one_pod_is_told_of_in_the_singular() -> None:
    assert told("w-0", look([pod()], answers=True, now=NOW), ()) == (
        "1 pod is left on Node w-0: metal3/web"
    )
