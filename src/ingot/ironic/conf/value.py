"""Values within files of other programs: whatever they hold, they stay on their line."""

from __future__ import annotations

from collections.abc import Iterable

from ingot.errors import IngotError

__all__ = ["UnusableValueError", "listed", "one_line", "oslo"]


class UnusableValueError(IngotError):
    """A value cannot be written into a configuration file."""


def one_line(value: object) -> str:
    """Return a value as text.

    Raises:
        UnusableValueError: it would end its line, and begin a setting of its own.
    """
    text = str(value)
    if not text.isprintable():
        raise UnusableValueError(
            f"{text!r} cannot be written into a configuration file",
            remedy="remove line breaks and other control characters",
        )
    return text


def oslo(value: object) -> str:
    """Return a value as Ironic's configuration reads it: a dollar sign would name an option."""
    if isinstance(value, bool):
        return str(value).lower()
    return one_line(value).replace("$", "$$")


def listed(values: Iterable[object]) -> str:
    """Return several values as Ironic's configuration reads them."""
    return ",".join(map(oslo, values))
