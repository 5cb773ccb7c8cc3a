"""What a person did to a file, told from what we would write, what we left, and what is there."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from ingot.assets.graph.files import Digest
from ingot.assets.graph.state import ABSENT

__all__ = ["Note", "Touch", "touch"]


class Touch(StrEnum):
    """What a person did to a file."""

    NONE = "none"
    CHANGED = "changed"
    OUTDATED = "outdated"
    """Changed, and what it was made from has changed since."""
    OWN = "own"
    """Put where we would have written one."""
    ADDED = "added"
    DELETED = "deleted"
    ORPHANED = "orphaned"
    """Changed, and no longer made by us."""


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be said of a file that a person touched."""

    path: str
    touch: Touch

    def __str__(self) -> str:
        return f"{self.path} {_SENTENCES[self.touch]}"


_SENTENCES = {
    Touch.CHANGED: "was changed by you: used as it is",
    Touch.OUTDATED: "was changed by you: used as it is, although it would be made differently now",
    Touch.OWN: "is yours: used in place of the one that would be made",
    Touch.ADDED: "was added by you: used with the others",
    Touch.DELETED: "was deleted by you: left out",
    Touch.ORPHANED: "was changed by you, and is not made any more: kept as yours",
}


def touch(*, made: Digest, found: Digest, left: AbstractSet[Digest]) -> Touch:
    """Tell what was done to a file that we make.

    Args:
        made: what we would write now.
        found: what is there, or ABSENT.
        left: what may be there without anybody having touched it; empty if we never wrote it.
    """
    if found == made or found in left or (not left and found == ABSENT):
        return Touch.NONE
    if found == ABSENT:
        return Touch.DELETED
    if not left:
        return Touch.OWN
    return Touch.CHANGED if made in left else Touch.OUTDATED
