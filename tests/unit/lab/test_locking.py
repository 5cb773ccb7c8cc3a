"""One command at a time changes a lab; the lock leaves no file behind."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ingot.lab.labs import Lab
from ingot.lab.locking import held

SOON = 30.0


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INGOT_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_second_command_waits_for_the_first(state: Path) -> None:
    del state
    waiting, entered = threading.Event(), threading.Event()

    def second() -> None:
        with held(Lab("a"), on_wait=waiting.set):
            entered.set()

    thread = threading.Thread(target=second)
    with held(Lab("a")):
        thread.start()
        assert waiting.wait(SOON)
        assert not entered.is_set()
    thread.join(SOON)
    assert entered.is_set()


def test_labs_do_not_wait_for_each_other(state: Path) -> None:
    del state
    with held(Lab("a")), held(Lab("b"), on_wait=lambda: pytest.fail("it waits")):
        pass


def test_nothing_is_left_where_there_is_no_lab(state: Path) -> None:
    with held(Lab("a")):
        assert state.exists()
    assert not state.exists()


def test_the_lock_stays_beside_a_lab_that_is_there(state: Path) -> None:
    lab = Lab("a")
    with held(lab):
        lab.home.mkdir()
    assert state.exists()
    lab.home.rmdir()
    with held(lab):
        pass
    assert not state.exists()


def test_many_at_once_never_overlap(state: Path) -> None:
    inside, most = 0, 0
    counting = threading.Lock()

    def one() -> None:
        nonlocal inside, most
        for _ in range(20):
            with held(Lab("a")):
                with counting:
                    inside += 1
                    most = max(most, inside)
                with counting:
                    inside -= 1

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON)
    assert most == 1
    assert not state.exists()
