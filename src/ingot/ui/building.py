"""How a build is watched: live on a terminal, in plain lines elsewhere, and a table at the end.

Progress goes to standard error, so that standard output has only results.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ingot.artefact.building import Made, Watcher
from ingot.artefact.recipe import Recipe
from ingot.ui.quantities import duration, size

__all__ = ["LiveWatcher", "PlainWatcher", "outcome", "watching"]

SIGN_OF_LIFE_SECONDS = 15.0
REFRESHES_A_SECOND = 4.0
SHORTENED = 100
"""How much of a line of output plain progress shows."""


@dataclass(slots=True)
class Course:
    """How far a build is: what both kinds of progress tell."""

    clock: Callable[[], float]
    planned: tuple[str, ...] = ()
    done: int = 0
    current: str = ""
    doing: str = ""
    since: float = 0.0
    last: str = ""

    def begin(self, recipe: Recipe, doing: str) -> None:
        """Something is being done about a recipe from now on."""
        self.current, self.doing, self.last = recipe.name, doing, ""
        self.since = self.clock()

    @property
    def elapsed(self) -> str:
        """How long that has taken so far."""
        return duration(self.clock() - self.since)

    @property
    def place(self) -> str:
        """Which of how many."""
        total = max(len(self.planned), self.done + 1)
        return f"{self.done + 1} of {total}"


def described(recipe: Recipe) -> str:
    """Return what is built: its name, version and where it comes from."""
    words = [recipe.name]
    if version := recipe.inputs.get("version"):
        words.append(version)
    if source := recipe.inputs.get("source"):
        words.append(f"from {source}" if source == "modules" else f"from its {source}")
    return " ".join(words)


def plan(missing: Sequence[Recipe], cached: Sequence[Recipe]) -> str:
    """Return what will be built and what need not be."""
    names = ", ".join(recipe.name for recipe in missing)
    kept = f"{len(cached)} in the cache"
    return f"to build: {names} ({kept})" if missing else f"nothing to build ({kept})"


def ending(made: Made) -> str:
    """Return how a build ended."""
    artefact = made.artefact
    how = "made by another build" if made.cached else f"built in {duration(made.seconds)}"
    return f"{artefact.name}: {how}, {size(artefact.size)}"


class PlainWatcher:
    """Progress as lines, for logs: each start and end, and a sign of life in between."""

    def __init__(self, stream: IO[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._course = Course(clock)
        self._writing = threading.Lock()

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        """See `Watcher`."""
        self._course.planned = tuple(recipe.name for recipe in missing)
        self._write(plan(missing, cached))

    def started(self, recipe: Recipe) -> None:
        """See `Watcher`."""
        self._course.begin(recipe, "building")
        self._write(f"[{self._course.place}] {described(recipe)}: building")

    def waiting(self, recipe: Recipe) -> None:
        """See `Watcher`."""
        self._course.begin(recipe, "waiting for another build")
        self._write(f"[{self._course.place}] {described(recipe)}: waiting for another build of it")

    def said(self, recipe: Recipe, text: str) -> None:
        """See `Watcher`."""
        del recipe
        self._course.last = text

    def finished(self, made: Made) -> None:
        """See `Watcher`."""
        if made.artefact.name in self._course.planned:
            self._write(f"[{self._course.place}] {ending(made)}")
            self._course.done += 1
            self._course.current = ""

    def sign_of_life(self) -> None:
        """Tell that a long build still runs, and what it said last."""
        course = self._course
        if course.current:
            last = f": {course.last.strip()[:SHORTENED]}" if course.last.strip() else ""
            self._write(
                f"[{course.place}] {course.current}: {course.doing}, {course.elapsed}{last}"
            )

    def _write(self, line: str) -> None:
        with self._writing:
            self._stream.write(f"{line}\n")
            self._stream.flush()


class LiveWatcher:
    """Progress that stays in one place of a terminal; what is finished scrolls away above it."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._course = Course(clock)
        self._spinner = Spinner("dots")

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        """See `Watcher`."""
        self._course.planned = tuple(recipe.name for recipe in missing)
        self._console.print(Text(plan(missing, cached), "dim"))

    def started(self, recipe: Recipe) -> None:
        """See `Watcher`."""
        self._course.begin(recipe, described(recipe))

    def waiting(self, recipe: Recipe) -> None:
        """See `Watcher`."""
        self._course.begin(recipe, f"{described(recipe)}: waiting for another build of it")

    def said(self, recipe: Recipe, text: str) -> None:
        """See `Watcher`."""
        del recipe
        self._course.last = text

    def finished(self, made: Made) -> None:
        """See `Watcher`."""
        if made.artefact.name in self._course.planned:
            self._course.done += 1
            self._course.current = ""
            self._console.print(Text.assemble(("✓ ", "green"), ending(made)))

    def __rich__(self) -> RenderableType:
        course = self._course
        if not course.current:
            return Text()
        self._spinner.update(
            text=Text.assemble(
                (course.doing, "bold"), f"  {course.place}  ", (course.elapsed, "cyan")
            )
        )
        last = Text(f"  {course.last.strip()}", "dim", no_wrap=True, overflow="ellipsis")
        return Group(self._spinner, last)


@contextmanager
def watching(console: Console) -> Iterator[Watcher]:
    """Watch a build on a console: live if it is a terminal, else in plain lines."""
    if console.is_terminal:
        live = LiveWatcher(console)
        with Live(live, console=console, refresh_per_second=REFRESHES_A_SECOND, transient=True):
            yield live
        return
    plain = PlainWatcher(console.file)
    ended = threading.Event()

    def remind() -> None:
        while not ended.wait(SIGN_OF_LIFE_SECONDS):
            plain.sign_of_life()

    reminding = threading.Thread(target=remind, daemon=True)
    reminding.start()
    try:
        yield plain
    finally:
        ended.set()
        reminding.join()


def outcome(made: Sequence[Made]) -> Table:
    """Return the table at the end: artefact, size, time, cached or built."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("artefact", no_wrap=True)
    table.add_column("version", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in made:
        state = Text("cached", "dim") if one.cached else Text("built", "green")
        artefact = one.artefact
        table.add_row(
            Text(artefact.name),
            Text(artefact.inputs.get("version", "")),
            size(artefact.size),
            "" if one.cached else duration(one.seconds),
            state,
        )
    return table
