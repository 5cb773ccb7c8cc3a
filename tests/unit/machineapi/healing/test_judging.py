"""Who is unhealthy, and whose healing begins."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ingot.kube.kind import ObjectKey
from ingot.machineapi.healing.judging import (
    Budget,
    Health,
    Healthy,
    Limits,
    Patient,
    Unhealthy,
    allowed_unhealthy,
    begin,
    health,
)
from tests.unit.machineapi.healing.ward import CONTROL_PLANE, NOW, ago, host, machine, node

LIMITS = Limits(
    {("Ready", "Unknown"): timedelta(minutes=5), ("Ready", "False"): timedelta(minutes=8)},
    timedelta(minutes=20),
)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (node("True"), Healthy()),
        (node("Unknown", since=ago(minutes=4)), Healthy(NOW + timedelta(minutes=1))),
        (node("False", since=ago(minutes=6)), Healthy(NOW + timedelta(minutes=2))),
    ],
)
def test_a_node_is_given_its_time(seen: object, expected: Health) -> None:
    assert health(machine(), host(), seen, limits=LIMITS, now=NOW) == expected  # type: ignore[arg-type] # a Node


def test_a_node_that_is_silent_for_too_long_is_unhealthy() -> None:
    found = health(machine(), host(), node("Unknown", since=ago(minutes=5)), limits=LIMITS, now=NOW)
    assert isinstance(found, Unhealthy)
    assert "Ready" in found.why
    assert found.since == NOW


def test_a_node_that_is_gone_is_unhealthy() -> None:
    assert isinstance(health(machine(), host(), None, limits=LIMITS, now=NOW), Unhealthy)


def test_a_server_that_becomes_no_node_in_time_is_unhealthy() -> None:
    late = host(provisioned_at=ago(minutes=20))
    found = health(machine(node=""), late, None, limits=LIMITS, now=NOW)
    assert isinstance(found, Unhealthy)


def test_a_server_has_its_time_to_become_a_node() -> None:
    fresh = host(provisioned_at=ago(minutes=5))
    found = health(machine(node=""), fresh, None, limits=LIMITS, now=NOW)
    assert found == Healthy(NOW + timedelta(minutes=15))


@pytest.mark.parametrize("seen", [None, host(state="provisioning"), host(state="available")])
def test_who_waits_for_a_host_or_its_image_is_not_sick(seen: object) -> None:
    found = health(machine(node="", created=ago(days=3)), seen, None, limits=LIMITS, now=NOW)  # type: ignore[arg-type] # a host
    assert found == Healthy()


def test_without_a_limit_a_server_may_take_any_time() -> None:
    limits = Limits({}, None)
    found = health(machine(node=""), host(), None, limits=limits, now=NOW)
    assert found == Healthy()


def test_a_machine_that_failed_is_unhealthy() -> None:
    found = health(machine(node="", phase="Failed"), None, None, limits=LIMITS, now=NOW)
    assert isinstance(found, Unhealthy)


@pytest.mark.parametrize(
    ("most", "total", "allowed"),
    [("40%", 5, 2), ("40%", 4, 1), ("100%", 3, 3), ("0%", 3, 0), (2, 10, 2), ("2", 1, 2)],
)
def test_a_share_is_rounded_down(most: int | str, total: int, allowed: int) -> None:
    assert allowed_unhealthy(most, total) == allowed


def patient(
    name: str,
    *,
    minutes: float | None = 1,
    healing: bool = False,
    held_back: str = "",
    leads: bool = False,
    hostless: bool = False,
) -> Patient:
    """Return one that is unhealthy for some minutes, or not at all."""
    fares = Healthy() if minutes is None else Unhealthy("silent", ago(minutes=minutes))
    seen = machine(key=ObjectKey("metal3", name), labels=CONTROL_PLANE if leads else {})
    return Patient(
        machine=seen, health=fares, healing=healing, held_back=held_back, hostless=hostless
    )


def begun(patients: list[Patient], **budget: object) -> list[str]:
    facts = {"most_unhealthy": 10, "at_once": 10, **budget}
    return [one.key.name for one in begin(patients, Budget(**facts))]  # type: ignore[arg-type] # its own


def test_who_is_sick_for_longest_comes_first_and_then_names_count() -> None:
    sick = [patient("c"), patient("b", minutes=9), patient("a"), patient("d", minutes=None)]
    assert begun(sick) == ["b", "a", "c"]


def test_no_more_are_begun_than_may_be_healed_at_once() -> None:
    sick = [patient("a"), patient("b"), patient("c", healing=True)]
    assert begun(sick, at_once=2) == ["a"]
    assert begun(sick, at_once=1) == []


def test_with_too_many_unhealthy_nothing_is_begun() -> None:
    sick = [patient("a"), patient("b"), patient("c", healing=True)]
    assert begun(sick, most_unhealthy=3) == ["a", "b"]
    assert begun(sick, most_unhealthy=2) == []


def test_who_is_held_back_counts_as_unhealthy_but_is_not_begun() -> None:
    sick = [patient("a", held_back="paused"), patient("b")]
    assert begun(sick) == ["b"]
    assert begun(sick, most_unhealthy=1) == []


def test_who_has_no_host_does_not_count_and_keeps_nobody_from_being_healed() -> None:
    sick = [patient("a", held_back="it has no host", hostless=True), patient("b")]
    assert begun(sick, most_unhealthy=1) == ["b"]
    assert begun(sick, most_unhealthy=0) == []


def test_of_the_control_plane_one_at_most_is_begun() -> None:
    sick = [patient("a", leads=True), patient("b", leads=True), patient("c")]
    assert begun(sick) == ["a", "c"]
    assert begun(sick, control_plane_busy=True) == ["c"]
