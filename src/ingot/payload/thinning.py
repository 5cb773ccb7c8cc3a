"""A module without the parts that nothing here uses, put in its place when a command is built.

Some modules come with a client for every service there is. Go links what can be called, and by a
configuration anything can. A copy of the module without those parts compiles sooner and is smaller.
What is left is as it was released, and Go has checked what the copy is made from.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingot.errors import ExitCode, IngotError

__all__ = ["Thinned", "required_version", "thin"]


class NothingToThin(IngotError):  # noqa: N818 - it says what was seen
    """A module has not the parts that are to be left out of it."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, module: str, lacks: str) -> None:
        super().__init__(
            f"{module} has no {lacks}, which was to be left out of it",
            remedy="compare the module with what is said of it in ingot.payload, and correct that",
        )


@dataclass(frozen=True)
class Thinned:
    """What is left out of a module."""

    module: str
    left_out: Sequence[str]
    """Folders and files below the module's own."""
    instead: Mapping[str, str]
    """Files that are written then, for whoever imports what was left out."""

    @property
    def folder(self) -> str:
        """Where the copy lies, beside the go.mod that asks for it."""
        return "./thinned/" + self.module.replace("/", "_")

    @property
    def digest(self) -> str:
        """What tells this from another way to thin the module."""
        said = [self.module, *self.left_out, dict(self.instead)]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def required_version(module: str, go_mod: str) -> str:
    """Return the version of a module that a go.mod asks for.

    Raises:
        NothingToThin: it does not ask for the module.
    """
    found = re.search(rf"^\s*(?:require\s+)?{re.escape(module)}\s+(v\S+)", go_mod, re.MULTILINE)
    if found is None:
        raise NothingToThin("the go.mod of the project", f"line for {module}")
    return found[1]


def thin(thinned: Thinned, source: Path, to: Path) -> None:
    """Write a copy of a module without what is left out.

    Args:
        thinned: what is left out, and what stands there instead.
        source: the module as it was released.
        to: a folder that is not there yet.

    Raises:
        NothingToThin: the module has changed, and has no such part.
    """
    for part in thinned.left_out:
        if not (source / part).exists():
            raise NothingToThin(thinned.module, part)
    left_out = {str(source / part) for part in thinned.left_out}

    def ignored(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if str(Path(folder) / name) in left_out]

    # Go keeps modules read-only; plain copies of their contents are not.
    shutil.copytree(source, to, ignore=ignored, copy_function=shutil.copyfile)
    for folder in (to, *(path for path in to.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    for name, text in thinned.instead.items():
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
