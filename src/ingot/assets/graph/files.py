"""Files as values: a path below the install directory, and what is in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NewType, TypeAlias

__all__ = ["Digest", "Files", "digest_of", "digests_of", "is_at"]

Files: TypeAlias = Mapping[str, bytes]
"""Paths with slashes, relative to the install directory, each with its content."""

Digest = NewType("Digest", str)
"""A SHA-256 in hexadecimal digits."""


def digest_of(content: bytes) -> Digest:
    """Return what tells this content from any other."""
    return Digest(hashlib.sha256(content).hexdigest())


def digests_of(files: Files) -> dict[str, Digest]:
    """Return the digest of each file, in the order of their paths."""
    return {path: digest_of(files[path]) for path in sorted(files)}


def is_at(path: str, places: Iterable[str]) -> bool:
    """Tell whether a path is at one of some places: a `*` stands for a part of one name."""
    parts = PurePosixPath(path).parts
    return any(_matches(parts, PurePosixPath(place).parts) for place in places)


def _matches(parts: tuple[str, ...], place: tuple[str, ...]) -> bool:
    return len(parts) == len(place) and all(map(fnmatchcase, parts, place))
