"""How an artefact is made, and the key that names its result.

The key is a digest of everything that decides the result: the recipe's own inputs and the keys of
what it is made from. Equal keys mean equal results, so a result with that key is never built again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingot.artefact.building import Workshop

__all__ = ["Key", "Recipe", "digest_of", "in_order"]

Key = str
"""Sixty-four hexadecimal digits."""


@dataclass(frozen=True)
class Recipe:
    """One artefact: what it is called, what decides it, and how it is made."""

    name: str
    """Lower case with hyphens, such as `kubernetes-binaries`."""

    build: Callable[[Workshop], None]
    """Fills the workshop's `out` directory."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    """Everything that decides the result, apart from `needs`: versions, options, file digests."""

    needs: tuple[Recipe, ...] = ()
    """What it is made from."""

    disk_bytes: int = 0
    """Free space wanted while building: scratch and result together."""

    programs: Mapping[str, str] = field(default_factory=dict)
    """Programs that must be installed, each with the Debian package that has it."""

    needs_root: bool = False
    """Whether only root can build it."""

    revision: int = 1
    """Raised when the way of building changes and old results must not be used."""

    @cached_property
    def key(self) -> Key:
        """What names the result."""
        decided = {
            "name": self.name,
            "revision": self.revision,
            "inputs": dict(sorted(self.inputs.items())),
            "needs": sorted(need.key for need in self.needs),
        }
        return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()

    @property
    def label(self) -> str:
        """A name for folders: readable, and as unique as the key."""
        return f"{self.name}-{self.key[:16]}"


def in_order(*wanted: Recipe) -> Iterator[Recipe]:
    """Return recipes with everything they need, each once, needs first."""
    seen: set[Key] = set()

    def visit(recipe: Recipe) -> Iterator[Recipe]:
        if recipe.key in seen:
            return
        seen.add(recipe.key)
        for need in recipe.needs:
            yield from visit(need)
        yield recipe

    for recipe in wanted:
        yield from visit(recipe)


def digest_of(*paths: Path) -> str:
    """Return one digest over files and folders: their names below the given path and contents."""
    total = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                name = file.relative_to(path).as_posix() if path.is_dir() else file.name
                total.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\0".encode())
    return total.hexdigest()
