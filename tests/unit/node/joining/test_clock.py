"""When a clock counts as right, and what is said of one that is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ingot.configserver.joinfile import Source
from ingot.node.joining.clock import SETTLE_SECONDS, Clock, ClockError, spoken, stepped_in

SOURCE = Source("https://192.0.2.5:22623/config/worker", "host-token", "PEM")
DAY = timedelta(days=1)
RIGHT = timedelta(seconds=2)


def clock(
    *differences: timedelta | None, stepped: timedelta = timedelta(), waits: list[float]
) -> Clock:
    """Return a clock that is off by one after the other, and by the last one from then on."""
    left = list(differences)

    def differs(_: Source) -> timedelta | None:
        return left.pop(0) if len(left) > 1 else left[0]

    return Clock(differs=differs, stepped=lambda: stepped, wait=waits.append)


def settled(*differences: timedelta | None, stepped: timedelta = timedelta()) -> tuple[str, float]:
    waits: list[float] = []
    made = clock(*differences, stepped=stepped, waits=waits)
    return made.settled(SOURCE, lambda _: None), sum(waits)


def test_a_clock_that_is_right_is_not_waited_for() -> None:
    assert settled(RIGHT) == ("", 0)


@pytest.mark.parametrize("ahead", [-DAY, DAY])
def test_a_clock_that_is_set_in_time_is_told_of(ahead: timedelta) -> None:
    said, waited = settled(ahead, ahead, RIGHT, stepped=-ahead)
    assert said == f"its clock was {spoken(ahead)} the time, and has been set"
    assert 0 < waited < SETTLE_SECONDS


def test_a_clock_that_was_set_before_anybody_asked_is_told_of_too() -> None:
    said, waited = settled(RIGHT, stepped=DAY)
    assert said == "its clock was 24 h behind the time, and has been set"
    assert waited == 0


def test_a_clock_that_nobody_sets_is_an_error_that_says_how_far_it_is_off() -> None:
    waits: list[float] = []
    made = clock(-DAY, waits=waits)
    with pytest.raises(ClockError, match="its clock is 24 h behind the config server's"):
        made.settled(SOURCE, lambda _: None)
    assert sum(waits) == pytest.approx(SETTLE_SECONDS, abs=5)


def test_waiting_is_told_once() -> None:
    said: list[str] = []
    clock(-DAY, -DAY, -DAY, RIGHT, waits=[]).settled(SOURCE, said.append)
    assert len(said) == 1
    assert "24 h behind" in said[0]


@pytest.mark.parametrize("source", [SOURCE, None])
def test_what_cannot_be_compared_is_left_to_joining_itself(source: Source | None) -> None:
    waits: list[float] = []
    made = clock(None, stepped=DAY, waits=waits)
    assert made.settled(source, lambda _: None) == ""
    assert waits == []


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (timedelta(seconds=-90), "90 s behind"),
        (timedelta(minutes=-90), "90 min behind"),
        (timedelta(hours=8), "8 h ahead of"),
        (timedelta(days=-1, seconds=40), "24 h behind"),
        (timedelta(days=400), "400 days ahead of"),
    ],
)
def test_how_far_it_is_off_is_said_in_a_unit_that_people_use(ahead: timedelta, words: str) -> None:
    assert spoken(ahead) == words


def test_what_chrony_wrote_says_how_far_it_has_set_the_clock() -> None:
    journal = """\
chronyd version 4.6.1 starting
System clock wrong by 86399.968192 seconds
System clock was stepped by 86399.968192 seconds
System clock was stepped by -0.5 seconds
"""
    assert stepped_in(journal) == timedelta(seconds=86399.468192)
    assert stepped_in("chronyd version 4.6.1 starting\n") == timedelta()
