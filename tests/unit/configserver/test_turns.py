from __future__ import annotations

from ingot.configserver.turns import TURN_SECONDS, Turns


def test_one_host_at_a_time_has_the_turn() -> None:
    turns = Turns()
    assert turns.asked("cp-0", now=0) == "cp-0"
    assert turns.asked("cp-1", now=1) == "cp-0"
    assert turns.asked("cp-0", now=2) == "cp-0"


def test_the_next_has_it_when_the_first_has_ended() -> None:
    turns = Turns()
    turns.asked("cp-0", now=0)
    turns.ended("cp-0")
    assert turns.asked("cp-1", now=1) == "cp-1"


def test_only_who_has_the_turn_can_end_it() -> None:
    turns = Turns()
    turns.asked("cp-0", now=0)
    turns.ended("cp-1")
    assert turns.asked("cp-1", now=1) == "cp-0"


def test_a_turn_ends_by_itself_and_is_longer_for_who_asks_again() -> None:
    turns = Turns()
    turns.asked("cp-0", now=0)
    assert turns.asked("cp-1", now=TURN_SECONDS) == "cp-1"
    turns.asked("cp-1", now=TURN_SECONDS + 100)
    assert turns.asked("cp-0", now=2 * TURN_SECONDS + 50) == "cp-1"
