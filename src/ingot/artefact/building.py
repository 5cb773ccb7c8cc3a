"""Building: what is missing is made, in order; what is there is used.

The one who asked watches: every step is told, so that a long build is never silent. Space and
programs are checked for everything that is missing before anything is started.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ingot import process
from ingot.artefact.recipe import Recipe, in_order
from ingot.artefact.store import Artefact, Store
from ingot.errors import ExitCode, IngotError

__all__ = ["DiskTooSmall", "Made", "NeedsRoot", "Silent", "Watcher", "Workshop", "make"]

GIGABYTE = 1_000_000_000

RESULT_SHARE = 1 / 3
"""What is left of the space that a build took, measured over all recipes; the rest was scratch."""


class DiskTooSmall(IngotError):  # noqa: N818 - it says what was seen
    """There is not enough space for what must be built."""

    exit_code = ExitCode.INFRASTRUCTURE


class NeedsRoot(IngotError):  # noqa: N818 - it says what was seen
    """Something that only root may do."""

    exit_code = ExitCode.INFRASTRUCTURE


class Watcher(Protocol):
    """Who is told how a build goes."""

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        """Everything has been looked up; this is what will be built."""

    def started(self, recipe: Recipe) -> None:
        """A build has begun."""

    def waiting(self, recipe: Recipe) -> None:
        """Another process builds this already; it is waited for."""

    def said(self, recipe: Recipe, text: str) -> None:
        """A build has something to show: a line of output, or how far it is."""

    def finished(self, made: Made) -> None:
        """A result is there."""


class Silent:
    """A watcher for callers that need no progress."""

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        """See `Watcher`."""

    def started(self, recipe: Recipe) -> None:
        """See `Watcher`."""

    def waiting(self, recipe: Recipe) -> None:
        """See `Watcher`."""

    def said(self, recipe: Recipe, text: str) -> None:
        """See `Watcher`."""

    def finished(self, made: Made) -> None:
        """See `Watcher`."""


@dataclass(frozen=True, slots=True)
class Made:
    """A result, and whether it had to be built."""

    artefact: Artefact
    cached: bool
    seconds: float
    """What it cost this time."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where one recipe is built, and what it may use."""

    recipe: Recipe
    out: Path
    """To be filled with the result's files."""
    scratch: Path
    """For anything else; removed afterwards."""
    store: Store
    watcher: Watcher

    def need(self, recipe: Recipe) -> Path:
        """Return the folder of something this recipe is made from."""
        if recipe.key not in {need.key for need in self.recipe.needs}:
            raise ValueError(f"{self.recipe.name} does not say that it needs {recipe.name}")
        found = self.store.find(recipe)
        if found is None:
            raise ValueError(f"{recipe.name} was not built before {self.recipe.name}")
        return found.path

    def say(self, text: str) -> None:
        """Tell the watcher how it goes."""
        self.watcher.said(self.recipe, text)

    def run(
        self,
        *command: str | Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> str:
        """Run a program, showing its output as it comes."""
        return process.run(
            command,
            cwd=cwd or self.scratch,
            env=env,
            stdin=stdin,
            on_line=self.say,
            remedy=f"mend that, then run the command again: {self.recipe.name} is built anew, "
            "what was built before it is kept",
        )


def make(store: Store, wanted: Sequence[Recipe], watcher: Watcher) -> list[Made]:
    """Make sure that results are there, with everything they are made from.

    Returns:
        One entry for each recipe, needs first.

    Raises:
        DiskTooSmall, MissingProgram, NeedsRoot: found before anything is started.
        CommandFailed: a build failed; what was built before it is kept.
    """
    store.prepare()
    recipes = list(in_order(*wanted))
    missing = [recipe for recipe in recipes if store.find(recipe) is None]
    watcher.planned(missing, [recipe for recipe in recipes if recipe not in missing])
    _check(store, missing)
    done = []
    for recipe in recipes:
        made = _make_one(store, recipe, watcher)
        watcher.finished(made)
        done.append(made)
    return done


def _check(store: Store, missing: Sequence[Recipe]) -> None:
    programs: dict[str, str] = {}
    for recipe in missing:
        programs |= recipe.programs
    process.require(programs)
    rooted = [recipe.name for recipe in missing if recipe.needs_root]
    if rooted and os.geteuid() != 0:
        raise NeedsRoot(
            f"only root can build {', '.join(rooted)}: they hold device nodes and files of others",
            remedy="run the same command with sudo; INGOT_CACHE keeps the results in one place",
        )
    wanted = _peak_bytes(missing)
    free = shutil.disk_usage(store.root).free
    if free < wanted:
        raise DiskTooSmall(
            f"building needs {wanted / GIGABYTE:.1f} GB, and {store.root} has "
            f"{free / GIGABYTE:.1f} GB free",
            remedy="free some space, run `ingot payload prune`, or set INGOT_CACHE to another disk",
        )


def _peak_bytes(missing: Sequence[Recipe]) -> int:
    """Return the most space that is taken at once: scratch goes after each build, results stay."""
    peak = kept = 0
    for recipe in missing:
        peak = max(peak, kept + recipe.disk_bytes)
        kept += int(recipe.disk_bytes * RESULT_SHARE)
    return peak


def _make_one(store: Store, recipe: Recipe, watcher: Watcher) -> Made:
    found = store.find(recipe)
    if found is not None:
        return Made(found, cached=True, seconds=0.0)
    with store.lock(recipe, lambda: watcher.waiting(recipe)):
        found = store.find(recipe)
        if found is not None:
            return Made(found, cached=True, seconds=0.0)
        return _build(store, recipe, watcher)


def _build(store: Store, recipe: Recipe, watcher: Watcher) -> Made:
    work = store.work / recipe.label
    if work.exists():  # left by a build that was killed
        shutil.rmtree(work)
    workshop = Workshop(recipe, work / "out", work / "scratch", store, watcher)
    workshop.out.mkdir(parents=True)
    workshop.scratch.mkdir()
    watcher.started(recipe)
    started = time.monotonic()
    try:
        recipe.build(workshop)
        seconds = time.monotonic() - started
        return Made(store.keep(recipe, workshop.out, seconds), cached=False, seconds=seconds)
    finally:
        shutil.rmtree(work, ignore_errors=True)
