"""The text of a script: lines, labels, and the commands in a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ingot.machine.firmware.kernelfile import is_script

__all__ = ["Joint", "NotAScript", "Script", "Step", "steps_of"]


class NotAScript(ValueError):  # noqa: N818 - it says what a text is
    """A text without a script's first line."""


class Joint(Enum):
    """What decides whether a command runs after the one before it."""

    START = ""
    FAILURE = "||"
    SUCCESS = "&&"
    ALWAYS = ";"


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a line, not yet expanded."""

    joint: Joint
    words: tuple[str, ...]

    def runs_after(self, *, succeeded: bool) -> bool:
        """Say whether it runs, given how the last command that ran ended."""
        match self.joint:
            case Joint.FAILURE:
                return not succeeded
            case Joint.SUCCESS:
                return succeeded
            case _:
                return True


@dataclass(frozen=True, slots=True)
class Script:
    """A script and where it came from, which is what its relative URLs start at."""

    lines: tuple[str, ...]
    url: str

    @classmethod
    def parse(cls, content: bytes, url: str) -> Script:
        """Read a script.

        Raises:
            NotAScript: its first line does not say so.
        """
        if not is_script(content):
            raise NotAScript(f"{url} does not start with #!ipxe")
        text = content.decode(errors="replace").replace("\\\r\n", "").replace("\\\n", "")
        return cls(tuple(text.splitlines()), url)

    def line_after(self, label: str) -> int | None:
        """Return the number of the line behind a label."""
        for number, line in enumerate(self.lines):
            if line.startswith(":") and line[1:].strip() == label:
                return number + 1
        return None


def steps_of(line: str) -> Sequence[Step]:
    """Split a line into its commands. There are no quotes: white space always separates."""
    if line.startswith((":", "#")):
        return ()
    steps: list[Step] = []
    joint, words = Joint.START, list[str]()
    for word in line.split():
        if word.startswith("#"):
            break
        if word in ("||", "&&", ";"):
            steps.append(Step(joint, tuple(words)))
            joint, words = Joint(word), []
        else:
            words.append(word)
    return (*steps, Step(joint, tuple(words)))
