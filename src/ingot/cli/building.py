"""What `payload build` and `image build` share: watch, make, tell what came of it."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

import typer

from ingot.artefact.building import Made, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Store
from ingot.cli.invocation import Output
from ingot.errors import ExitCode, IngotError, Interrupted

__all__ = ["build", "chosen", "ended_by_signals", "print_json"]


class UnknownName(IngotError):  # noqa: N818 - it says what was seen
    """There is nothing of that name."""

    exit_code = ExitCode.USAGE


def chosen(recipes: Mapping[str, Callable[[], Recipe]], names: Sequence[str]) -> list[Recipe]:
    """Return the recipes of given names, or all of them if none is given.

    Only those are asked for, since a recipe may have to look around to know its source.

    Raises:
        UnknownName: naming those that exist.
    """
    unknown = sorted(set(names) - recipes.keys())
    if unknown:
        known = ", ".join(recipes) or "none yet"
        raise UnknownName(
            f"there is no {', '.join(unknown)} to build", remedy=f"those that exist: {known}"
        )
    return [recipes[name]() for name in names or recipes]


def build(recipes: Sequence[Recipe], output: Output) -> None:
    """Build what is missing, with progress, and print the result.

    Raises:
        Interrupted: by Ctrl-C, or by a signal to end.
    """
    from rich.console import Console  # noqa: PLC0415 - slow to import

    from ingot.ui.building import outcome, watching  # noqa: PLC0415 - slow to import
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import

    with ended_by_signals():
        try:
            with watching(Console(stderr=True)) as watcher:
                made = make(Store(), recipes, watcher)
        except KeyboardInterrupt:
            raise Interrupted(
                "the build was interrupted; everything it had started was ended",
                remedy="run the same command again: what was finished is kept, and it goes on "
                "from there",
            ) from None
    if output is Output.JSON:
        print_json([_as_json(one) for one in made])
    else:
        results().print(outcome(made))


def print_json(content: object) -> None:
    """Print something for machines."""
    json.dump(content, sys.stdout, indent=2, ensure_ascii=False)
    typer.echo()


def _as_json(made: Made) -> dict[str, object]:
    artefact = made.artefact
    return {
        "name": artefact.name,
        "version": artefact.inputs.get("version"),
        "origin": artefact.inputs.get("source"),
        "digest": f"sha256:{artefact.digest}",
        "size": artefact.size,
        "cached": made.cached,
        "seconds": round(made.seconds, 1),
        "path": str(artefact.path),
    }


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Take a request to end as Ctrl-C is taken, so that programs we started end with us."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt

    # SIGINT too: a shell that starts a job in the background has it ignored.
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
