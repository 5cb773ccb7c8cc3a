"""What a client saw, and what follows from it."""

from __future__ import annotations

import pytest

from tests.onprem_site.availability import Asked, failures, gaps, longest_gap, servers, slowest


def asked(story: str) -> list[Asked]:
    """Return questions 10 ms from each other, each answered after 1 ms: by a letter, or not."""
    return [
        Asked(at / 100, at / 100 + 0.001, None if who == "." else who, "refused" * (who == "."))
        for at, who in enumerate(story)
    ]


@pytest.mark.parametrize(
    ("story", "seconds"), [("", 0), ("a", 0), ("aab", 0.01), ("a...b", 0.04), ("...a..a", 0.03)]
)
def test_the_longest_gap_is_between_two_answers(story: str, seconds: float) -> None:
    assert longest_gap(asked(story)) == pytest.approx(seconds)


def test_a_late_answer_to_an_early_question_ends_a_gap() -> None:
    story = [*asked("a...."), Asked(0.02, 0.045, "b")]
    assert [(gap.begin, gap.end) for gap in gaps(story, beyond=0.02)] == [(0.001, 0.045)]
    assert slowest(story) == pytest.approx(0.025)


def test_it_is_counted_who_answered_and_what_went_wrong() -> None:
    assert servers(asked("aab.")) == {"a": 2, "b": 1}
    assert failures(asked("aab.")) == {"refused": 1}
