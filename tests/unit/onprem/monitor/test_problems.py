"""Problems are told once when they begin, and once when they end."""

from __future__ import annotations

import pytest

from ingot.errors import IngotError
from ingot.onprem.monitor.problems import Problems


def test_a_problem_is_told_once_and_its_end_too(caplog: pytest.LogCaptureFixture) -> None:
    problems = Problems()
    caplog.set_level("INFO")
    for process in (7, 8, 9):
        with problems.of("haproxy"):
            raise IngotError(f"({process}) refused", remedy="look")
    assert problems.current == {"haproxy": "(9) refused"}
    with problems.of("haproxy"):
        pass
    assert problems.current == {}
    assert caplog.messages == ["haproxy: (7) refused; look", "haproxy: is well again"]


def test_a_mistake_of_ours_is_not_taken_for_a_problem() -> None:
    with pytest.raises(ZeroDivisionError), Problems().of("haproxy"):
        raise ZeroDivisionError
