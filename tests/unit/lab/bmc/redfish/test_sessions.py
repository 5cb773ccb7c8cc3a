"""Sessions of a BMC: their end by idleness, and their number."""

from __future__ import annotations

import pytest

from ingot.lab.bmc.redfish.sessions import Sessions, SessionsExhausted


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(clock: Clock) -> Sessions:
    return Sessions(limit=2, idle_seconds=100, clock=clock)


def test_a_session_is_found_by_its_token_and_its_number(sessions: Sessions) -> None:
    session = sessions.open("admin", "192.0.2.1")
    assert sessions.use(session.token) == session
    assert sessions.find(session.number) == session
    assert sessions.use(session.token + "x") is None
    assert sessions.use("") is None
    assert sessions.use("schlüssel") is None


def test_tokens_and_numbers_are_never_the_same_again(sessions: Sessions) -> None:
    first = sessions.open("admin", "")
    sessions.close(first.number)
    second = sessions.open("admin", "")
    assert (first.token, first.number) != (second.token, second.number)
    assert sessions.use(first.token) is None


def test_an_idle_session_ends(sessions: Sessions, clock: Clock) -> None:
    session = sessions.open("admin", "")
    clock.now = 100
    assert sessions.use(session.token) is None
    assert sessions.all() == ()


def test_a_session_that_is_used_goes_on(sessions: Sessions, clock: Clock) -> None:
    session = sessions.open("admin", "")
    for clock.now in (99, 198, 297):
        assert sessions.use(session.token) == session


def test_looking_at_a_session_is_not_using_it(sessions: Sessions, clock: Clock) -> None:
    session = sessions.open("admin", "")
    clock.now = 99
    assert sessions.find(session.number)
    clock.now = 100
    assert sessions.find(session.number) is None


def test_there_are_only_so_many(sessions: Sessions, clock: Clock) -> None:
    sessions.open("admin", "")
    sessions.open("admin", "")
    with pytest.raises(SessionsExhausted):
        sessions.open("admin", "")
    clock.now = 100
    sessions.open("admin", "")


def test_closing_makes_room(sessions: Sessions) -> None:
    first = sessions.open("admin", "")
    sessions.open("admin", "")
    sessions.close(first.number)
    sessions.close(first.number)
    sessions.open("admin", "")


def test_a_token_is_not_shown(sessions: Sessions) -> None:
    session = sessions.open("admin", "")
    assert session.token not in repr(session)
