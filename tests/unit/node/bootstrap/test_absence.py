"""Why a server is no Node yet, and when a person has to do something about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingot.configserver.visits import WRONG_TOKEN, Visits
from ingot.errors import ExitCode
from ingot.node.bootstrap.absence import (
    GOING_ON,
    REFUSED_FOR,
    UNHEARD_FOR,
    Absence,
    AbsentError,
    Known,
    absence,
    absent,
)

BEGAN = datetime(2026, 1, 1, 12, tzinfo=UTC)
DONE = BEGAN + timedelta(minutes=5)
NOBODY = Visits(host="cp-0")
SECOND = timedelta(seconds=1)
CLOCK = "its clock is 24 h behind the config server's, and no time source has set it"


def known(visits: Visits = NOBODY, *, clock: str = "", reported: datetime | None = None) -> Known:
    return Known(
        name="cp-0",
        visits=visits,
        began=BEGAN,
        provisioned=DONE,
        clock_fails=clock,
        reported_at=reported,
    )


def refused(*moments: datetime) -> Visits:
    seen = NOBODY
    for moment in moments:
        seen = seen.after_refusal("192.0.2.7", WRONG_TOKEN, now=moment)
    return seen


def at(one: Known, now: datetime) -> Absence:
    return absence(one, now=now)


def test_a_server_that_was_not_heard_of_is_said_to_be_so_with_how_long() -> None:
    seen = at(known(), DONE + timedelta(minutes=3, seconds=10))
    assert "has not asked for its config since it was provisioned 3 min ago" in seen.seen
    assert "console" in seen.seen
    assert not seen.remedy


def test_after_eight_minutes_a_person_has_to_look() -> None:
    assert not at(known(), DONE + UNHEARD_FOR - SECOND).remedy
    late = at(known(), DONE + UNHEARD_FOR)
    assert "does not boot" in late.seen
    assert "console of cp-0" in late.remedy


def test_what_lasts_is_said_in_the_same_words_however_long() -> None:
    assert at(known(), DONE + UNHEARD_FOR) == at(known(), DONE + 5 * UNHEARD_FOR)


def test_a_server_that_has_its_config_is_said_to_have_it() -> None:
    visits = NOBODY.after_grant("192.0.2.7", now=DONE)
    seen = at(known(visits), DONE + 2 * UNHEARD_FOR)
    assert seen.seen == "fetched its config at 12:05:00 UTC"
    assert not seen.remedy


def test_a_config_that_it_got_in_an_earlier_life_does_not_count() -> None:
    visits = NOBODY.after_grant("192.0.2.7", now=BEGAN - SECOND)
    assert "has not asked" in at(known(visits), DONE).seen


def test_a_refusal_is_said_with_its_reason_address_and_number() -> None:
    seen = at(known(refused(DONE, DONE + 10 * SECOND)), DONE + 11 * SECOND)
    assert seen.seen == (
        "asked for its config with a wrong token, from 192.0.2.7, and was refused (2 times)"
    )
    assert not seen.remedy


def test_who_is_refused_for_two_minutes_needs_a_person() -> None:
    almost = refused(DONE, DONE + REFUSED_FOR - SECOND)
    assert not at(known(almost), DONE + REFUSED_FOR).remedy
    seen = at(known(refused(DONE, DONE + REFUSED_FOR)), DONE + REFUSED_FOR)
    assert "with a wrong token" in seen.seen
    assert "hosts/cp-0.ign" in seen.remedy


def test_who_has_stopped_asking_may_be_booting_anew() -> None:
    last = DONE + REFUSED_FOR
    assert not at(known(refused(DONE, last)), last + GOING_ON + SECOND).remedy


def test_refusals_of_an_earlier_life_do_not_count() -> None:
    old = refused(BEGAN - 10 * SECOND, BEGAN - SECOND)
    assert "has not asked" in at(known(old), DONE).seen


def test_a_clock_that_nobody_sets_needs_a_person() -> None:
    visits = NOBODY.after_grant("192.0.2.7", now=DONE)
    seen = at(known(visits, clock=CLOCK, reported=DONE), DONE)
    assert CLOCK in seen.seen
    assert "additionalNTPServers" in seen.remedy


def test_a_clock_of_an_earlier_life_does_not() -> None:
    assert not at(known(clock=CLOCK, reported=BEGAN - SECOND), DONE).remedy


def test_one_error_names_all_who_need_a_person_and_no_others() -> None:
    other = Known(name="cp-1", visits=Visits(host="cp-1"), began=BEGAN, provisioned=DONE)
    fine = Known(name="cp-2", visits=NOBODY.after_grant("192.0.2.9", now=DONE), began=BEGAN)
    with pytest.raises(AbsentError) as caught:
        absent([known(), other, fine], now=DONE + UNHEARD_FOR)
    error = caught.value
    assert error.exit_code is ExitCode.BOOTSTRAP
    assert "host cp-0 " in error.what
    assert "host cp-1 " in error.what
    assert "cp-2" not in error.what
    assert "create cluster" in error.remedy


def test_who_may_still_come_is_told_of_without_an_error() -> None:
    assert [one.name for one in absent([known()], now=DONE)] == ["cp-0"]
