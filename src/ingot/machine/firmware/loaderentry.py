"""Boot loader entries (the Boot Loader Specification): which one counts, and what it says."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Entry", "chosen", "default_pattern"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry.

    Attributes:
        title: what a menu would show.
        kernel: the path of a kernel on the same partition, where it names one.
        initrds: paths of ramdisks.
        options: the kernel's arguments.
    """

    title: str = ""
    kernel: str | None = None
    initrds: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Entry:
        """Read an entry; what it does not know, it passes over, as loaders do."""
        pairs = tuple(_pairs(text))
        return cls(
            title=" ".join(value for key, value in pairs if key == "title"),
            kernel=next((value for key, value in pairs if key == "linux"), None),
            initrds=tuple(
                word for key, value in pairs if key == "initrd" for word in value.split()
            ),
            options=tuple(
                word for key, value in pairs if key == "options" for word in value.split()
            ),
        )


def default_pattern(text: str) -> str:
    """Return which entries a `loader.conf` wants, as a pattern of their names."""
    return next((value for key, value in _pairs(text) if key == "default"), "")


def chosen(names: Sequence[str], pattern: str) -> str | None:
    """Return the entry that is booted: of those that fit, or else of all, the newest.

    Entries are named by version, so the newest is the last.
    """
    entries = sorted(name for name in names if name.lower().endswith(".conf"))
    fitting = [name for name in entries if pattern and _fits(name, pattern)]
    return next(iter(reversed(fitting or entries)), None)


def _fits(name: str, pattern: str) -> bool:
    # Older files leave out the suffix.
    return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, f"{pattern}.conf")


def _pairs(text: str) -> Iterable[tuple[str, str]]:
    for line in text.splitlines():
        key, _, value = line.strip().partition(" ")
        if key and not key.startswith("#"):
            yield key.strip(), value.strip()
