"""What is kept of a host's asking."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingot.configserver.visits import WRONG_TOKEN, Visits

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def refused(*minutes: int) -> Visits:
    seen = Visits(host="cp-0")
    for minute in minutes:
        seen = seen.after_refusal("192.0.2.7", WRONG_TOKEN, now=NOW + timedelta(minutes=minute))
    return seen


def test_refusals_are_counted_from_the_first_to_the_last() -> None:
    seen = refused(0, 1, 3)
    assert seen.refusals == 3
    assert seen.refused_since == "2026-01-01T12:00:00+00:00"
    assert seen.refused_at == "2026-01-01T12:03:00+00:00"


def test_a_config_ends_them() -> None:
    seen = refused(0, 1).after_grant("192.0.2.7", now=NOW)
    assert seen == Visits(
        host="cp-0", granted_at="2026-01-01T12:00:00+00:00", granted_to="192.0.2.7"
    )


def test_a_refusal_after_a_config_does_not_make_it_forgotten() -> None:
    granted = Visits(host="cp-0").after_grant("192.0.2.7", now=NOW)
    assert granted.after_refusal("192.0.2.7", WRONG_TOKEN, now=NOW).granted_at


def test_what_is_written_is_what_is_read() -> None:
    seen = refused(0, 1).after_clock("24 h behind")
    assert Visits.parse("cp-0", seen.manifest()) == seen


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"data": {"status": "{"}},
        {"data": {"status": "[]"}},
        {"data": {"status": '{"refusals": "many", "more": 1}'}},
    ],
)
def test_what_cannot_be_read_is_nothing(content: dict[str, object]) -> None:
    assert Visits.parse("cp-0", content) == Visits(host="cp-0")
