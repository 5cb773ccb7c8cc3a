"""A judgement that does not flutter: it changes after several observations in a row that differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

__all__ = ["Steady"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """Whether something is well, by its last observations.

    Attributes:
        rise: how many good ones in a row make it well.
        fall: how many bad ones in a row make it unwell.
        well: the judgement so far; what was never seen well is not.
        against: how many observations in a row speak against it.
    """

    rise: int
    fall: int
    well: bool = False
    against: int = 0

    def after(self, *, good: bool) -> Self:
        """Return the judgement after one more observation."""
        if good == self.well:
            return replace(self, against=0)
        against = self.against + 1
        if against >= (self.rise if good else self.fall):
            return replace(self, well=good, against=0)
        return replace(self, against=against)
