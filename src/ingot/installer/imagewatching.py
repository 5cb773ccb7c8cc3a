"""How images are built, told as the message of a phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.artefact.building import Made
from ingot.artefact.recipe import Recipe

__all__ = ["ImageWatcher"]


class ImageWatcher:
    """Tells in a line what is being built."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._total = 0
        self._done = 0

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        """See `Watcher`."""
        del cached
        self._total = len(missing)
        if missing:
            self._tell(f"to build: {', '.join(recipe.name for recipe in missing)}")

    def started(self, recipe: Recipe) -> None:
        """See `Watcher`."""
        self._tell(f"building {recipe.name} ({self._done + 1} of {self._total})")

    def waiting(self, recipe: Recipe) -> None:
        """See `Watcher`."""
        self._tell(f"waiting for another build of {recipe.name}")

    def said(self, recipe: Recipe, text: str) -> None:
        """See `Watcher`: its lines are too many for this."""

    def finished(self, made: Made) -> None:
        """See `Watcher`."""
        if not made.cached:
            self._done += 1
