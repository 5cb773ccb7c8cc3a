"""Work that is handed over is done in its order, by one thread that ends when it is told to."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from ingot.lab.agenda import ThreadAgenda

SOON = 30.0
"""Nothing here takes that long; a test that waits for it has failed."""


@pytest.fixture
def agenda() -> Iterator[ThreadAgenda]:
    made = ThreadAgenda("agenda-under-test")
    yield made
    made.close()


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def test_there_is_no_thread_before_there_is_work(agenda: ThreadAgenda) -> None:
    assert agenda.now() > 0
    assert "agenda-under-test" not in threads()


def test_work_is_done_by_the_named_thread(agenda: ThreadAgenda) -> None:
    seen: list[str] = []
    agenda.later(0, lambda: seen.append(threading.current_thread().name)).result(SOON)
    assert seen == ["agenda-under-test"]


def test_what_is_due_first_is_done_first(agenda: ThreadAgenda) -> None:
    seen: list[str] = []
    gate = threading.Event()
    agenda.later(0, lambda: gate.wait(SOON))
    last = agenda.later(0.02, lambda: seen.append("last"))
    agenda.later(0.01, lambda: seen.append("second"))
    agenda.later(0, lambda: seen.append("first"))
    gate.set()
    last.result(SOON)
    assert seen == ["first", "second", "last"]


def test_no_two_pieces_of_work_run_at_the_same_time(agenda: ThreadAgenda) -> None:
    at_once = 0
    most = 0

    def work() -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        at_once -= 1

    for future in [agenda.later(0, work) for _ in range(200)]:
        future.result(SOON)
    assert most == 1


def test_a_failure_is_told_to_who_asked_and_ends_nothing(agenda: ThreadAgenda) -> None:
    def fail() -> None:
        raise OSError("no such thing")

    with pytest.raises(OSError, match="no such thing"):
        agenda.later(0, fail).result(SOON)
    agenda.later(0, lambda: None).result(SOON)


def test_cancelled_work_is_not_done(agenda: ThreadAgenda) -> None:
    seen: list[str] = []
    gate = threading.Event()
    agenda.later(0, lambda: gate.wait(SOON))
    agenda.later(0, lambda: seen.append("cancelled")).cancel()
    last = agenda.later(0, lambda: seen.append("kept"))
    gate.set()
    last.result(SOON)
    assert seen == ["kept"]


def test_closing_forgets_what_is_to_come_and_ends_the_thread(agenda: ThreadAgenda) -> None:
    agenda.later(0, lambda: None).result(SOON)
    tomorrow = agenda.later(86400, lambda: None)
    agenda.close()
    assert tomorrow.cancelled()
    assert "agenda-under-test" not in threads()


def test_closing_waits_for_what_has_begun(agenda: ThreadAgenda) -> None:
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        done.set()

    agenda.later(0, work)
    begun.wait(SOON)
    agenda.close()
    assert done.is_set()


def test_a_closed_agenda_takes_no_work(agenda: ThreadAgenda) -> None:
    agenda.close()
    assert agenda.later(0, lambda: None).cancelled()
    assert "agenda-under-test" not in threads()


def test_an_agenda_can_be_closed_by_its_own_work(agenda: ThreadAgenda) -> None:
    agenda.later(0, agenda.close).result(SOON)
    assert agenda.later(0, lambda: None).cancelled()
