"""Durations, what is remembered, etcd's majority, and pods that may stay."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ingot.machineapi.etcd import MemberSeen, why_not_without
from ingot.machineapi.healing.duration import duration
from ingot.machineapi.healing.emptiness import stays
from ingot.machineapi.healing.hold import HOLD, Hold
from ingot.machineapi.healing.kinds import Rules
from ingot.machineapi.healing.record import RECORD, Healing, Phase
from tests.unit.machineapi.healing.ward import MACHINE, NOW, healing


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("0s", 0),
        ("300s", 300),
        ("5m", 300),
        ("1h30m", 5400),
        ("1.5m", 90),
        ("500ms", 0.5),
    ],
)
def test_durations_are_read_as_the_api_writes_them(text: str, seconds: float) -> None:
    assert duration(text) == timedelta(seconds=seconds)


def test_what_is_remembered_is_read_as_it_was_written() -> None:
    known = healing(Phase.EMPTYING, tries=3, last=True, seen_on=NOW, boot="b")
    assert Healing.of({RECORD: known.text()}) == known


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"check": "a", "phase": "Dancing"}'])
def test_what_cannot_be_read_counts_as_no_healing(text: str) -> None:
    assert Healing.of({RECORD: text}) is None


def member(name: str, *, healthy: bool = True, voter: bool = True) -> MemberSeen:
    return MemberSeen(number=name, name=name, healthy=healthy, voter=voter)


THREE = [member("a"), member("b"), member("c")]


@pytest.mark.parametrize(
    ("members", "may"),
    [
        (THREE, True),
        ([member("a", healthy=False), member("b"), member("c")], True),
        ([member("a", healthy=False), member("b", healthy=False), member("c")], False),
        ([member("a"), member("b")], False),
        ([member("a")], False),
        ([*THREE, member("d", voter=False)], True),
        ([member("a"), member("b"), member("c", voter=False)], False),
        ([*THREE, member("d"), member("e", healthy=False)], True),
        ([*THREE, member("d", healthy=False), member("e", healthy=False)], False),
        ([], False),
    ],
)
def test_a_member_may_be_lost_only_if_a_healthy_majority_is_left(
    members: list[MemberSeen], *, may: bool
) -> None:
    assert (why_not_without("a", members) == "") is may


def pod(**spec: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of the spec
    return {"metadata": {}, "spec": spec, "status": {"phase": "Running"}}


@pytest.mark.parametrize(
    ("found", "may_stay"),
    [
        (pod(), False),
        (pod(tolerations=[{"operator": "Exists"}]), True),
        (pod(tolerations=[{"operator": "Exists", "effect": "NoSchedule"}]), False),
        (
            pod(
                tolerations=[
                    {
                        "key": "node.kubernetes.io/unreachable",
                        "operator": "Exists",
                        "effect": "NoExecute",
                    }
                ]
            ),
            False,
        ),
        (pod(tolerations=[{"operator": "Exists", "tolerationSeconds": 60}]), False),
        (
            pod(
                tolerations=[{"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown"}]
            ),
            True,
        ),
        ({**pod(), "status": {"phase": "Succeeded"}}, True),
        ({**pod(), "metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}}, True),
    ],
)
def test_a_pod_stays_that_nothing_would_move(found: dict[str, Any], *, may_stay: bool) -> None:
    assert stays(found) is may_stay


@pytest.mark.parametrize("value", ["", "{}", "[]", "no JSON", '{"mode": "hard"}'])
def test_a_host_that_somebody_else_holds_is_held_for_nobody(value: str) -> None:
    assert Hold.of({HOLD: value}) is None


def test_what_a_hold_says_is_read_as_it_was_written() -> None:
    assert Hold.of({HOLD: Hold(MACHINE, NOW).text()}) == Hold(MACHINE, NOW)


def test_a_healing_whose_check_is_gone_is_brought_to_its_end() -> None:
    rules = Rules.orphaned()
    assert rules.retry_limit == 1
    assert ("Ready", "Unknown") in rules.limits.conditions
