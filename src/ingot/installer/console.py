"""What the bootstrap says on its serial console; it can be read at any time, API or not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ingot.installer.phase import Phase

__all__ = ["ConsoleReader", "Said", "said_in"]

_LINE = re.compile(
    r"bootstrap \[(?P<stage>[a-z-]+)\] (?P<error>(?P<lasting>lasting )?error: )?(?P<text>.*)"
)
COMPLETE = "complete"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Said:
    """One line of the bootstrap.

    Attributes:
        stage: the stage that it is in.
        text: what it says.
        is_error: whether something went wrong, and is tried again.
        lasting: whether that does not pass until a person does something.
    """

    stage: str
    text: str
    is_error: bool = False
    lasting: bool = False

    @property
    def phase(self) -> Phase | None:
        """The phase of the install that this stage is; None after the last."""
        return Phase(self.stage) if self.stage in {phase.value for phase in Phase} else None

    @property
    def is_complete(self) -> bool:
        """Whether the bootstrap's work is done."""
        return self.stage == COMPLETE


def said_in(line: str) -> Said | None:
    """Return what the bootstrap says in a line of the console, if it is its own."""
    found = _LINE.search(line)
    if found is None:
        return None
    return Said(
        found["stage"],
        found["text"].rstrip(),
        is_error=bool(found["error"]),
        lasting=bool(found["lasting"]),
    )


@dataclass(slots=True)
class ConsoleReader:
    """Reads a console's file on from where it last ended.

    Attributes:
        path: the file.
    """

    path: Path
    _read: int = 0
    _rest: str = field(default="")

    def fresh(self) -> list[Said]:
        """Return what was said since the last time."""
        try:
            with self.path.open("rb") as file:
                if file.seek(0, 2) < self._read:  # It was begun anew.
                    self._read = 0
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            return []
        self._read += len(content)
        *lines, self._rest = (self._rest + content.decode("utf-8", "replace")).split("\n")
        return [said for said in map(said_in, lines) if said is not None]
