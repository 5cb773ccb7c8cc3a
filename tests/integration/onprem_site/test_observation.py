"""What follows from what was seen."""

from __future__ import annotations

import pytest

from tests.onprem_site.observation import (
    Look,
    Span,
    Split,
    announcements,
    blind,
    contested,
    longest,
    moves,
    spans,
    vacant,
)

VIP = "10.88.0.5"


def looks(story: str) -> list[Look]:
    """Return looks 10 ms from each other: a letter for each holder, a dot for nobody."""
    return [
        Look(number / 100, {VIP: frozenset(seen)} if (seen := word.strip(".")) else {}, {})
        for number, word in enumerate(story.split())
    ]


def span(begin: float, end: float, holders: str) -> Span:
    return Span(begin, end, frozenset(holders))


@pytest.mark.parametrize(
    ("story", "seen"),
    [
        ("", []),
        ("a", [span(0, 0, "a")]),
        ("a a a", [span(0, 0.02, "a")]),
        (". a a", [span(0, 0.01, ""), span(0.01, 0.02, "a")]),
        ("a . b b", [span(0, 0.01, "a"), span(0.01, 0.02, ""), span(0.02, 0.03, "b")]),
        ("a ab b", [span(0, 0.01, "a"), span(0.01, 0.02, "ab"), span(0.02, 0.02, "b")]),
    ],
)
def test_looks_with_the_same_holders_are_one_span(story: str, seen: list[Span]) -> None:
    assert spans(looks(story), VIP) == seen


def test_a_vip_that_was_not_looked_at_has_no_holder() -> None:
    assert spans(looks("a a"), "10.88.0.6") == [span(0, 0.01, "")]


@pytest.mark.parametrize(
    ("story", "seen"),
    [
        ("a . b", []),
        ("a ab ab b", [span(0.01, 0.03, "ab")]),
        ("a ab abc bc c", [span(0.01, 0.04, "abc")]),
        ("ab a ab", [span(0, 0.01, "ab"), span(0.02, 0.02, "ab")]),
    ],
)
def test_times_with_two_holders_are_contested(story: str, seen: list[Span]) -> None:
    assert contested(spans(looks(story), VIP)) == seen


APART = (frozenset("a"), frozenset("bc"))


@pytest.mark.parametrize(
    ("story", "splits", "seen"),
    [
        ("ab ab ab ab", [Split(0, APART)], []),
        ("ab ab ab ab", [Split(0, APART), Split(0.02)], [span(0.02, 0.03, "ab")]),
        ("ab ab ab ab", [Split(0.02, APART)], [span(0, 0.02, "ab")]),
        ("bc bc bc bc", [Split(0, APART)], [span(0, 0.03, "bc")]),
        ("ad ad ad ad", [Split(0, APART)], [span(0, 0.03, "ad")]),
        ("a ab abc ab a", [Split(0, APART)], [span(0.02, 0.03, "abc")]),
    ],
    ids=[
        "one on each side",
        "two of different sides after healing",
        "two before the split",
        "two on one side",
        "one that is on both sides",
        "a third for a moment",
    ],
)
def test_two_holders_on_different_sides_are_not_contested(
    story: str, splits: list[Split], seen: list[Span]
) -> None:
    assert contested(spans(looks(story), VIP), splits) == seen


def test_the_longest_time_without_a_holder_is_known() -> None:
    over_time = spans(looks("a . b . . . c"), VIP)
    assert len(vacant(over_time)) == 2
    assert longest(vacant(over_time)) == pytest.approx(0.03)
    assert longest([]) == 0


def test_a_move_is_from_one_holder_to_another_whatever_was_between() -> None:
    assert moves(spans(looks(". a . a ab b . c"), VIP)) == [(0.05, "a", "b"), (0.07, "b", "c")]


def test_announcements_are_told_in_order() -> None:
    told = [Look(1, {}, {VIP: frozenset("b")}), Look(2, {}, {}), Look(3, {}, {VIP: frozenset("a")})]
    assert announcements(told, VIP) == [(1, "b"), (3, "a")]


def test_it_is_known_when_the_observer_did_not_look() -> None:
    seen = [Look(at, {}, {}) for at in (0, 0.01, 0.2, 0.21)]
    assert [(gap.begin, gap.end) for gap in blind(seen, beyond=0.03)] == [(0.01, 0.2)]
