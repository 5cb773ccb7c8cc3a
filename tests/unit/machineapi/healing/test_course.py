"""What comes next in a healing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from ingot.kube.kind import ObjectKey
from ingot.machineapi import annotation
from ingot.machineapi.healing.course import (
    EMPTY_LIMIT,
    SETTLE,
    Act,
    Case,
    Do,
    Forget,
    Look,
    Remember,
    Rest,
    Step,
    may_begin_again,
    next_step,
    unfit,
)
from ingot.machineapi.healing.hold import HOLD, Hold
from ingot.machineapi.healing.record import Healing, Phase
from ingot.machineapi.seeing import HostSeen
from tests.unit.machineapi.healing.ward import (
    CONTROL_PLANE,
    HELD,
    NOW,
    TIMEOUT,
    ago,
    case,
    healing,
    host,
    machine,
    node,
)


def phase_after(step: Step) -> Phase:
    assert isinstance(step, Remember), step
    return step.healing.phase


def test_first_the_server_is_turned_off() -> None:
    assert next_step(case()) == Do(Act.HOLD)


def test_a_machine_that_recovered_by_itself_is_left_alone() -> None:
    assert isinstance(next_step(case(sick=False)), Forget)


def test_a_machine_that_recovered_while_its_server_was_turned_off_goes_through_with_it() -> None:
    off = host(held=True, on=False)
    step = next_step(case(sick=False, host=off, healing=healing(seen_on=HELD)))
    assert phase_after(step) is Phase.EMPTYING


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (None, "no host"),
        (host(keeps_power=True), "disablePowerOff"),
        (host(annotations={annotation.HOST_PAUSED: ""}), "paused"),
        (host(annotations={annotation.HOST_DETACHED: ""}), "detached"),
        (host(state="deprovisioning"), "deprovisioning"),
        (host(going=True), "being deleted"),
    ],
)
def test_a_host_whose_power_is_not_ours_is_left_alone(seen: HostSeen | None, why: str) -> None:
    assert why in unfit(seen)
    step = next_step(case(host=seen))
    assert isinstance(step, Rest)
    assert why in step.why


def test_a_server_of_the_control_plane_stays_on_while_etcd_needs_it() -> None:
    step = next_step(
        case(machine=machine(labels=CONTROL_PLANE), look=Look(risk="2 members are needed"))
    )
    assert isinstance(step, Rest)
    assert "2 members are needed" in step.why


def test_a_server_that_was_on_and_is_off_is_fenced() -> None:
    step = next_step(case(host=host(held=True, on=False), healing=healing(seen_on=HELD)))
    assert phase_after(step) is Phase.EMPTYING


def test_that_a_server_was_seen_on_is_remembered() -> None:
    step = next_step(case(host=host(held=True, on=True)))
    assert isinstance(step, Remember)
    assert step.healing.seen_on == HELD
    assert step.healing.phase is Phase.FENCING


def test_a_server_that_was_off_all_along_may_be_just_turned_on_and_is_not_fenced_yet() -> None:
    early = host(held=True, on=False, since=NOW - SETTLE + timedelta(seconds=3))
    assert next_step(case(host=early)) == Rest(3.0)


def test_that_a_server_was_on_before_it_was_held_again_does_not_count() -> None:
    anew = host(held=True, on=False, since=ago(seconds=10))
    step = next_step(case(host=anew, healing=healing(seen_on=HELD)))
    assert isinstance(step, Rest)


def test_a_host_that_is_held_for_another_machine_is_not_fenced() -> None:
    other = Hold(ObjectKey("metal3", "other"), HELD).text()
    seen = host(on=False, annotations={HOLD: other})
    assert next_step(case(host=seen, healing=healing(seen_on=HELD))) == Do(Act.HOLD)


def test_a_server_that_was_off_all_along_is_fenced_after_a_while() -> None:
    step = next_step(case(host=host(held=True, on=False, since=NOW - SETTLE)))
    assert phase_after(step) is Phase.EMPTYING


def test_a_server_that_cannot_be_turned_off_is_told_of_and_nothing_is_let_go() -> None:
    stuck = healing(since=NOW - TIMEOUT - timedelta(seconds=1), seen_on=HELD)
    step = next_step(case(host=host(held=True, error="no answer from its BMC"), healing=stuck))
    assert isinstance(step, Rest)
    assert "no answer from its BMC" in step.why


def test_the_node_is_marked_once_its_server_is_off() -> None:
    seen = case(Phase.EMPTYING, host=host(held=True, on=False))
    assert next_step(seen) == Do(Act.TAINT)


@pytest.mark.parametrize("seen", [host(on=False), host(held=True, on=True), None])
def test_a_node_is_never_marked_whose_server_is_not_held_off(seen: HostSeen | None) -> None:
    step = next_step(case(Phase.EMPTYING, host=seen))
    assert phase_after(step) is Phase.FENCING


def test_pods_are_waited_for() -> None:
    seen = case(Phase.EMPTYING, host=host(held=True, on=False), node=node(tainted=True))
    assert isinstance(next_step(seen), Rest)


@pytest.mark.parametrize(
    ("emptied", "since"), [(True, NOW), (False, NOW - EMPTY_LIMIT - timedelta(seconds=1))]
)
def test_a_node_that_is_empty_or_does_not_become_so_is_started(
    since: datetime, *, emptied: bool
) -> None:
    seen = case(
        Phase.EMPTYING,
        host=host(held=True, on=False),
        node=node(tainted=True),
        healing=healing(Phase.EMPTYING, since=since),
        look=Look(emptied=emptied),
    )
    step = next_step(seen)
    assert phase_after(step) is Phase.STARTING
    assert isinstance(step, Remember)
    assert step.warning is not emptied


def test_without_a_node_there_is_nothing_to_empty() -> None:
    seen = case(Phase.EMPTYING, host=host(held=True, on=False), node=None)
    assert phase_after(next_step(seen)) is Phase.STARTING


def test_to_start_a_server_is_to_let_go_of_it() -> None:
    assert next_step(case(Phase.STARTING, host=host(held=True, on=False))) == Do(Act.RELEASE)


def test_a_node_that_only_seems_ready_stays_marked() -> None:
    seen = case(Phase.STARTING, node=node("True", tainted=True), sick=False)
    assert isinstance(next_step(seen), Rest), "its kubelet has not told of another boot"


def test_a_node_of_another_boot_is_unmarked() -> None:
    seen = case(Phase.STARTING, node=node("False", tainted=True, boot="second"))
    assert next_step(seen) == Do(Act.UNTAINT)


def test_a_healthy_node_of_another_boot_is_healed() -> None:
    seen = case(Phase.STARTING, node=node("True", boot="second"), sick=False)
    step = next_step(seen)
    assert isinstance(step, Forget)
    assert "60 s" in step.told


def test_a_machine_that_had_no_node_is_healed_once_it_has_a_ready_one() -> None:
    never = healing(Phase.STARTING, boot="")
    assert isinstance(next_step(case(healing=never, node=node("True"), sick=False)), Forget)
    assert isinstance(next_step(case(healing=never, node=node("False"))), Rest)


LATE = {"since": ago(minutes=11)}


def test_a_server_that_does_not_come_back_is_tried_again() -> None:
    step = next_step(case(healing=healing(Phase.STARTING, **LATE), retry_limit=2))
    assert phase_after(step) is Phase.FENCING
    assert isinstance(step, Remember)
    assert (step.healing.tries, step.healing.last, step.healing.since) == (2, False, NOW)


def test_after_the_last_try_the_server_is_turned_off_for_good() -> None:
    step = next_step(case(healing=healing(Phase.STARTING, tries=2, **LATE), retry_limit=2))
    assert phase_after(step) is Phase.FENCING
    assert isinstance(step, Remember)
    assert step.healing.last


def test_for_good_means_that_it_is_replaced_and_not_started() -> None:
    seen = case(
        host=host(held=True, on=False),
        node=node(tainted=True),
        healing=healing(Phase.EMPTYING, last=True),
        look=Look(emptied=True),
    )
    assert phase_after(next_step(seen)) is Phase.REPLACING
    assert next_step(replace(seen, healing=healing(Phase.REPLACING))) == Do(Act.REPLACE)


def test_a_machine_is_not_replaced_while_its_server_may_run() -> None:
    step = next_step(case(Phase.REPLACING, host=host(held=True, on=True)))
    assert phase_after(step) is Phase.FENCING


@pytest.mark.parametrize(
    "seen",
    [
        case(healing=healing(Phase.STARTING, **LATE), machine=machine(owned=False)),
        case(healing=healing(Phase.STARTING, **LATE), host=host(external=True)),
    ],
)
def test_what_nothing_would_replace_is_left_to_a_person(seen: Case) -> None:
    assert phase_after(next_step(seen)) is Phase.FAILED


def test_a_control_plane_machine_is_replaced_though_no_set_made_it() -> None:
    leads = machine(owned=False, labels=CONTROL_PLANE)
    step = next_step(case(healing=healing(Phase.STARTING, **LATE), machine=leads))
    assert isinstance(step, Remember)
    assert step.healing.last


LEADS = machine(owned=False, labels=CONTROL_PLANE)
NO_SPARE = Look(obstacle="there is no spare host")
OFF = host(held=True, on=False)


@pytest.mark.parametrize(
    "seen",
    [
        case(healing=healing(Phase.STARTING, **LATE)),
        case(healing=healing(Phase.FENCING, last=True)),
        case(healing=healing(Phase.EMPTYING, last=True), host=OFF, node=None),
    ],
    ids=["before it is turned off", "before it is held", "before it is replaced"],
)
def test_a_control_plane_server_without_a_spare_is_left_on(seen: Case) -> None:
    step = next_step(replace(seen, machine=LEADS, look=NO_SPARE))
    assert phase_after(step) is Phase.FAILED
    assert isinstance(step, Remember)
    assert "there is no spare host" in step.told
    assert step.warning
    assert not step.healing.last


def test_a_spare_is_not_asked_for_while_there_are_tries_left() -> None:
    seen = case(healing=healing(Phase.STARTING, **LATE), machine=LEADS, retry_limit=2)
    assert phase_after(next_step(replace(seen, look=NO_SPARE))) is Phase.FENCING


def test_that_a_spare_is_missing_is_told_for_as_long_as_it_is() -> None:
    step = next_step(case(Phase.FAILED, machine=LEADS, look=NO_SPARE))
    assert isinstance(step, Rest)
    assert "there is no spare host" in step.why
    assert next_step(case(Phase.FAILED, machine=LEADS)) == replace(step, why="")


@pytest.mark.parametrize(
    ("told", "seen", "obstacle", "again"),
    [
        (healing(Phase.FAILED, **LATE), host(), "", True),
        (healing(Phase.FAILED, **LATE), host(), "there is no spare host", False),
        (healing(Phase.FAILED, since=ago(minutes=1)), host(), "", False),
        (healing(Phase.FAILED, **LATE), host(held=True), "", False),
        (healing(Phase.FAILED, **LATE), host(external=True), "", False),
        (healing(Phase.FAILED, **LATE), None, "", False),
        (healing(Phase.STARTING, **LATE), host(), "", False),
    ],
    ids=["spare", "none", "may still come back", "held", "external", "no host", "not over"],
)
def test_a_healing_that_failed_begins_again_once_there_is_a_spare(
    told: Healing, seen: HostSeen | None, obstacle: str, *, again: bool
) -> None:
    assert may_begin_again(told, seen, obstacle=obstacle, patience=TIMEOUT, now=NOW) is again


def test_what_was_given_up_and_recovers_is_forgotten() -> None:
    recovered = case(Phase.FAILED, node=node("True", boot="second"), sick=False)
    assert isinstance(next_step(recovered), Forget)


def test_what_was_given_up_is_neither_held_off_nor_marked_for_ever() -> None:
    assert next_step(case(Phase.FAILED, host=host(held=True))) == Do(Act.RELEASE)
    marked = case(Phase.FAILED, node=node("True", tainted=True, boot="second"))
    assert next_step(marked) == Do(Act.UNTAINT)


def test_a_machine_that_goes_keeps_its_server_off_until_the_host_is_given_back() -> None:
    going = machine(going=True)
    kept = case(Phase.REPLACING, machine=going, host=host(held=True, on=False))
    assert isinstance(next_step(kept), Rest)
    for given_back in (
        host(held=True, wanted=False),
        host(held=True, consumer=None),
        host(held=True, consumer=ObjectKey("metal3", "other")),
    ):
        assert next_step(replace(kept, host=given_back)) == Do(Act.RELEASE)
