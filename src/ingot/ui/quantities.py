"""Sizes and times as people say them."""

from __future__ import annotations

__all__ = ["duration", "size"]

THOUSAND = 1000
MINUTE = 60
HOUR = 3600
TEN = 10


def size(count: int) -> str:
    """Return a number of bytes in the unit that fits: `563 MB`, `1.2 GB`."""
    if count < THOUSAND:
        return f"{count} B"
    number, unit = float(count), ""
    for unit in ("kB", "MB", "GB", "TB"):  # noqa: B007 - the last one is used below
        number /= THOUSAND
        if round(number) < THOUSAND:
            break
    return f"{number:.1f} {unit}" if number < TEN and unit != "kB" else f"{number:.0f} {unit}"


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes and hours: `4 s`, `1 min 42 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"
