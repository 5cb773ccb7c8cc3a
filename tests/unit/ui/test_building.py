"""Whoever watches a build is told what is being built, how far it is and what came of it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from ingot.artefact.building import Made, Workshop, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Artefact, FileFacts, Store
from ingot.ui.building import LiveWatcher, PlainWatcher, outcome, watching
from ingot.ui.quantities import duration, size


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def recipe(name: str, **inputs: str) -> Recipe:
    def build(workshop: Workshop) -> None:
        (workshop.out / "file").write_text("content", encoding="utf-8")

    return Recipe(name, build, inputs=inputs)


def made(name: str, *, cached: bool = False, seconds: float = 0.0) -> Made:
    files = {"file": FileFacts(61_000_000, "0" * 64)}
    return Made(Artefact(name, "k", Path(name), files, {"version": "3.6.8"}, 1.0), cached, seconds)


def test_plain_progress_tells_plan_start_sign_of_life_and_end() -> None:
    stream, clock = io.StringIO(), Clock()
    watcher = PlainWatcher(stream, clock)
    etcd, coredns = recipe("etcd", version="3.6.8", source="modules"), recipe("coredns")
    watcher.planned([etcd, coredns], [recipe("kubernetes")])
    watcher.started(etcd)
    watcher.said(etcd, "go.etcd.io/etcd/server/v3")
    clock.now += 75
    watcher.sign_of_life()
    watcher.finished(made("etcd", seconds=101.7))
    watcher.started(coredns)
    assert stream.getvalue().splitlines() == [
        "to build: etcd, coredns (1 in the cache)",
        "[1 of 2] etcd 3.6.8 from modules: building",
        "[1 of 2] etcd: building, 1 min 15 s: go.etcd.io/etcd/server/v3",
        "[1 of 2] etcd: built in 1 min 42 s, 61 MB",
        "[2 of 2] coredns: building",
    ]


def test_plain_progress_is_silent_about_what_is_cached() -> None:
    stream = io.StringIO()
    watcher = PlainWatcher(stream)
    watcher.planned([], [recipe("etcd")])
    watcher.finished(made("etcd", cached=True))
    watcher.sign_of_life()
    assert stream.getvalue() == "nothing to build (1 in the cache)\n"


def test_wait_for_another_build_is_told() -> None:
    stream = io.StringIO()
    watcher = PlainWatcher(stream)
    watcher.planned([recipe("etcd")], [])
    watcher.waiting(recipe("etcd"))
    watcher.finished(made("etcd", cached=True))
    assert stream.getvalue().splitlines()[1:] == [
        "[1 of 1] etcd: waiting for another build of it",
        "[1 of 1] etcd: made by another build, 61 MB",
    ]


def test_live_progress_shows_what_how_far_how_long_and_the_last_line() -> None:
    clock = Clock()
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system=None)
    watcher = LiveWatcher(console, clock)
    etcd = recipe("etcd", version="3.6.8", source="release")
    watcher.planned([etcd], [])
    watcher.started(etcd)
    watcher.said(etcd, "x" * 200)
    clock.now += 4
    with console.capture() as shown:
        console.print(watcher)
    first, last = shown.get().splitlines()
    assert "etcd 3.6.8 from its release  1 of 1  4 s" in first
    assert last.endswith("…")
    assert len(last) == 60


def test_live_progress_leaves_a_line_for_what_is_finished() -> None:
    target = io.StringIO()
    console = Console(file=target, width=80, force_terminal=True, color_system=None)
    watcher = LiveWatcher(console)
    watcher.planned([recipe("etcd")], [])
    watcher.finished(made("etcd", seconds=3))
    assert "✓ etcd: built in 3 s, 61 MB\n" in target.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_whole_build_can_be_watched(tmp_path: Path, *, terminal: bool) -> None:
    target = io.StringIO()
    console = Console(file=target, force_terminal=terminal, width=80)
    with watching(console) as watcher:
        make(Store(tmp_path), [recipe("thing")], watcher)
    assert "thing: built in 0 s, 7 B" in target.getvalue()


def test_table_tells_artefact_size_time_and_whether_it_was_cached() -> None:
    target = io.StringIO()
    Console(file=target, width=80).print(
        outcome([made("etcd", seconds=101.7), made("coredns", cached=True)])
    )
    rows = [line.split() for line in target.getvalue().splitlines()]
    assert rows == [
        ["artefact", "version", "size", "time"],
        ["etcd", "3.6.8", "61", "MB", "1", "min", "42", "s", "built"],
        ["coredns", "3.6.8", "61", "MB", "cached"],
    ]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_500, "2 kB"),
        (690_832, "691 kB"),
        (999_600, "1.0 MB"),
        (3_540_000, "3.5 MB"),
        (563_000_000, "563 MB"),
        (1_234_000_000, "1.2 GB"),
        (12_340_000_000_000, "12 TB"),
    ],
)
def test_sizes_are_told_in_the_unit_that_fits(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (102, "1 min 42 s"), (7500, "2 h 5 min")],
)
def test_times_are_told_as_people_say_them(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown
