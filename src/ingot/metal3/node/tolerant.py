"""Reading documents of which nothing can be relied on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from ingot.ironic.document import Json

__all__ = ["objects", "part", "whole", "word"]

_TOO_LARGE: Final = 2**63
"""The API server refuses a whole status for one number that does not fit."""
_LONG: Final = 20


def part(document: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    """Return an object, empty where there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def objects(value: Json) -> Iterator[Mapping[str, Json]]:
    """Yield the objects of a list, and nothing of what is none."""
    if isinstance(value, list):
        yield from (member for member in value if isinstance(member, dict))


def word(value: Json) -> str:
    """Return a text, empty where there is none; numbers are written out."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def whole(value: Json) -> int:
    """Return a whole number that is not negative, 0 where there is none."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, str):
        text = value.strip()
        # The agent may say `4094`, never `4_094` or a digit of another script.
        return whole(int(text)) if text.isascii() and text.isdigit() and len(text) < _LONG else 0
    if isinstance(value, int | float) and math.isfinite(value):
        return int(value) if 0 <= value < _TOO_LARGE else 0
    return 0
