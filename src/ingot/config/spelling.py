"""The nearest known word to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word a person most likely meant, if one is near enough to offer."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

    folded = {candidate.lower(): candidate for candidate in known}
    # Longer words cannot be near a short one, and comparing them costs quadratic time.
    found = get_close_matches(word[:80].lower(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None
