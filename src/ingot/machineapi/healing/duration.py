"""Durations as the API writes them: `90s`, `5m`, `1h30m`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

__all__ = ["duration"]

_PART: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def duration(text: str) -> timedelta:
    """Return how long a text means; its form is checked by the API server, so nothing is refused.

    What is no duration means none at all.
    """
    parts = _PART.findall(text)
    return timedelta(seconds=sum(float(number) * _SECONDS[unit] for number, unit in parts))
