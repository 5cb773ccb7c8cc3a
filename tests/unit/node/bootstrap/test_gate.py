"""When the bootstrap may leave the control plane alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.node.bootstrap.gate import (
    SETTLING_SECONDS,
    STANDING_SECONDS,
    Gate,
    Standing,
    after_look,
    are_there,
)


def standing(name: str) -> Standing:
    return Standing(name=name, joined=True, ready=True, votes=True, serves=True, balances=True)


def without(node: Standing, lost: str) -> Standing:
    changed = {lost: False}
    return replace(node, **changed)  # type: ignore[arg-type] # all of these are booleans


ALL = tuple(map(standing, ("cp-0", "cp-1", "cp-2")))


def looked(*looks: tuple[float, tuple[Standing, ...]]) -> Gate:
    gate = Gate()
    for now, nodes in looks:
        gate = after_look(gate, nodes, now=now)
    return gate


def test_it_opens_when_all_have_joined_and_stood_for_half_a_minute() -> None:
    assert not looked((0, ALL), (STANDING_SECONDS - 1, ALL)).open
    assert looked((0, ALL), (STANDING_SECONDS, ALL)).open


@pytest.mark.parametrize("lost", ["votes", "ready", "joined"])
def test_it_waits_for_every_node_to_join_vote_and_be_ready(lost: str) -> None:
    nodes = (*ALL[:2], without(ALL[2], lost))
    gate = looked((0, nodes), (100, nodes))
    assert not gate.open
    assert "cp-2 waits for" in gate.text


@pytest.mark.parametrize("lost", ["serves", "balances"])
def test_two_of_three_that_serve_are_enough(lost: str) -> None:
    nodes = (*ALL[:2], without(ALL[2], lost))
    assert looked((0, nodes), (STANDING_SECONDS, nodes)).open


@pytest.mark.parametrize("lost", ["serves", "balances"])
def test_one_of_three_is_not(lost: str) -> None:
    nodes = (ALL[0], *(without(one, lost) for one in ALL[1:]))
    assert not looked((0, nodes), (1000, nodes)).open


def test_a_break_begins_the_half_minute_anew() -> None:
    broken = (ALL[0], *(replace(one, serves=False) for one in ALL[1:]))
    gate = looked((0, ALL), (20, broken), (25, ALL), (45, ALL))
    assert not gate.open
    assert after_look(gate, ALL, now=25 + STANDING_SECONDS).open


def test_the_last_one_to_come_is_given_time_to_settle() -> None:
    two = (*ALL[:2], without(ALL[2], "ready"))
    gate = looked((0, two), (100, two), (102, ALL))
    assert (gate.open, gate.whole) == (False, 102)
    assert not after_look(gate, ALL, now=101 + SETTLING_SECONDS).open
    assert after_look(gate, ALL, now=102 + SETTLING_SECONDS).open
    again = after_look(after_look(gate, two, now=104), ALL, now=106)
    assert not after_look(again, ALL, now=105 + SETTLING_SECONDS).open


def test_what_has_to_be_done_before_is_waited_for_and_given_time_to_settle_too() -> None:
    gate = looked((0, ALL), (STANDING_SECONDS, ALL))
    busy = after_look(gate, ALL, now=40, unfinished="a copy of the images")
    assert (busy.open, busy.text) == (False, "waiting for a copy of the images")
    done = after_look(busy, ALL, now=50)
    assert not after_look(done, ALL, now=49 + SETTLING_SECONDS).open
    assert after_look(done, ALL, now=50 + SETTLING_SECONDS).open


@pytest.mark.parametrize("lost", ["votes", "ready", "joined"])
def test_all_are_there_only_when_each_has_joined_votes_and_is_ready(lost: str) -> None:
    assert are_there(ALL)
    assert not are_there((*ALL[:2], without(ALL[2], lost)))


def test_all_are_not_there_while_too_few_of_them_serve() -> None:
    assert not are_there((ALL[0], *(without(one, "serves") for one in ALL[1:])))


def test_a_control_plane_of_one_needs_that_one() -> None:
    one = ALL[:1]
    assert looked((0, one), (STANDING_SECONDS, one)).open


def test_it_says_what_a_node_lacks_first() -> None:
    gate = after_look(Gate(), (Standing(name="cp-0"),), now=0)
    assert gate.text == "cp-0 waits for its Node"


def test_it_says_why_a_node_is_not_there_where_that_is_known() -> None:
    gone = Standing(name="cp-0", absent="has not asked for its config")
    assert after_look(Gate(), (gone,), now=0).text == "cp-0 has not asked for its config"
