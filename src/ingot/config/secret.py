"""A secret that is named in the config but need not stand in it.

`password: hunter2`, `password: {env: NAME}` and `password: {file: PATH}` are one type. Its text is
taken only by `reveal`, at the place of use, and its repr never shows it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ingot.errors import InstallConfigError

__all__ = ["Secret", "SecretSource"]


class SecretSource(StrEnum):
    """Where the text of a secret is."""

    INLINE = "inline"
    ENV = "env"
    FILE = "file"


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A secret by its text or by the place that holds it."""

    source: SecretSource
    value: str
    """The text itself, the variable's name, or the file's path."""

    def __repr__(self) -> str:
        shown = "…" if self.source is SecretSource.INLINE else self.value
        return f"Secret({self.source}: {shown})"

    def missing(self) -> str:
        """Return why the secret cannot be revealed now, or an empty string."""
        if self.source is SecretSource.ENV and not os.environ.get(self.value):
            return f"the environment variable {self.value} is not set"
        if self.source is SecretSource.FILE and not _is_file(self.value):
            return f"the file {self.value} does not exist or is out of reach"
        return ""

    def reveal(self) -> str:
        """Return the secret's text.

        Raises:
            InstallConfigError: the variable or file that should hold it is not there.
        """
        if why := self.missing():
            raise InstallConfigError(why, remedy="provide it, or put the secret into the config")
        if self.source is SecretSource.ENV:
            return os.environ[self.value]
        if self.source is SecretSource.FILE:
            return Path(self.value).read_text(encoding="utf-8").rstrip("\n")
        return self.value


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:  # a directory above that may not be entered, or a name beyond all limits
        return False
