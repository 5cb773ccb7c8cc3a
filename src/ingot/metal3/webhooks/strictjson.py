"""JSON that somebody wrote into an annotation."""

from __future__ import annotations

from ingot.metal3.api.reading import UnreadableObject, read_text

__all__ = ["misread"]


def misread(model: type, text: str) -> str:
    """Return why a text is no JSON of this model, or nothing if it is."""
    try:
        read_text(model, text.encode(errors="replace"))
    except UnreadableObject as error:
        return error.what
    return ""
