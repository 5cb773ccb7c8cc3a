"""What metal3's own definitions say of each field, read from the transcript beside this file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TRANSCRIPT = Path(__file__).parent / "upstream_fields.txt"

EMPTY = '""'
"""How the transcript spells an empty word."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    Attributes:
        type: its type; ``[]`` begins a list's, and words stand for a part of Kubernetes' own.
        limits: what else is said, each as ``name: value`` or as one word.
    """

    type: str
    required: bool
    limits: frozenset[str]

    def limit(self, name: str) -> str | None:
        """Return the value of a limit."""
        for limit in self.limits:
            found, colon, value = limit.partition(": ")
            if found == name and colon:
                return value
        return None

    @property
    def words(self) -> list[str]:
        """The words that it may be, if they are counted."""
        listed = self.limit("enum") or self.limit("item enum")
        return ["" if word == EMPTY else word for word in listed.split(" / ")] if listed else []


def transcribed() -> dict[str, dict[str, Field]]:
    """Return every field by its path, by kind."""
    kinds: dict[str, dict[str, Field]] = {}
    fields: dict[str, Field] = {}
    for line in TRANSCRIPT.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            fields = kinds.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            path, kind, required, limits, *_ = [*line.split(" | "), "", "", ""]
            each = frozenset(limit.strip() for limit in limits.split("; ") if limit.strip())
            fields[path.strip()] = Field(kind.strip(), required.strip() == "yes", each)
    return kinds
