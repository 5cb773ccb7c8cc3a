"""Once machines are being made from them, assets must stay as they are."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.assets.graph import configparts
from ingot.assets.graph.making import Outcome
from ingot.assets.graph.state import State

__all__ = ["Differences", "differences"]


@dataclass(frozen=True, slots=True)
class Differences:
    """What is not as it was used.

    Attributes:
        fields: of the install-config.
        files: that would be others now.
    """

    fields: tuple[str, ...]
    files: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.fields or self.files)


def differences(state: State, outcome: Outcome) -> Differences:
    """Tell what differs from what was used; what has not been made before does not count."""
    files: set[str] = set()
    for name, before in state.used.items():
        if name in outcome.files:
            files.update(configparts.changed(before, outcome.after.used[name]))
    fields = configparts.changed(state.fields, outcome.after.fields) if state.fields else []
    return Differences(tuple(fields), tuple(sorted(files)))
