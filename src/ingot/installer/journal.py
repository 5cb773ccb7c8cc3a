"""The journal of an install: a line for each thing that was begun or done, never changed after.

It is there once the cluster is being made, and tells whoever runs the command again how far it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingot.installer.phase import Phase
from ingot.installer.progress import PhaseTimes, Progress

__all__ = ["Entry", "InstallJournal"]

COMPLETE = "complete"
TROUBLE = "trouble"
VM = "bootstrap-vm"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line.

    Attributes:
        at: when.
        what: a phase by its name, `complete`, or `trouble`.
        state: `began` or `ended`; of trouble, `seen`.
        text: what went wrong, where it is trouble.
    """

    at: datetime
    what: str
    state: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class InstallJournal:
    """The journal in a file."""

    path: Path

    def add(self, what: str, state: str, *, at: datetime | None = None, text: str = "") -> None:
        """Write a line, for good."""
        entry = {"at": (at or datetime.now(UTC)).isoformat(), "what": what, "state": state}
        if text:
            entry["text"] = text
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def entries(self) -> Iterator[Entry]:
        """Return what was written; a last line that was cut off by a loss of power is none."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            try:
                said = json.loads(line)
                at = datetime.fromisoformat(said["at"])
                yield Entry(at, said["what"], said["state"], said.get("text", ""))
            except (ValueError, KeyError, TypeError):
                continue

    @property
    def is_complete(self) -> bool:
        """Whether the cluster is there, and nothing is left to do."""
        return any(entry.what == COMPLETE for entry in self.entries())

    def note(self, before: Progress, after: Progress) -> None:
        """Write down which phases began and ended between two moments, and what went wrong."""
        known = {one.phase: one for one in before.phases}
        for one in after.phases:
            if one.phase not in known:
                self.add(one.phase.value, "began", at=one.began)
            if one.ended and (one.phase not in known or known[one.phase].ended is None):
                self.add(one.phase.value, "ended", at=one.ended)
        if fresh := [text for text in after.overcome if text not in before.overcome]:
            # A run that goes on reads the console from its beginning.
            written = set(self.troubles())
            for text in fresh:
                if text not in written:
                    self.add(TROUBLE, "seen", text=text)

    def troubles(self) -> tuple[str, ...]:
        """Return what went wrong in any run, each once, in the order of time."""
        seen = (entry.text for entry in self.entries() if entry.what == TROUBLE)
        return tuple(dict.fromkeys(seen))

    def phases(self) -> tuple[PhaseTimes, ...]:
        """Return when phases began and ended, each for the first time.

        A run that goes on finds the phases of the one before ended; that it looked is no work.
        """
        began: dict[Phase, datetime] = {}
        ended: dict[Phase, datetime] = {}
        for entry in self.entries():
            if entry.what not in {phase.value for phase in Phase}:
                continue
            phase = Phase(entry.what)
            if entry.state == "began":
                began.setdefault(phase, entry.at)
            else:
                ended.setdefault(phase, entry.at)
        return tuple(
            PhaseTimes(phase=phase, began=at, ended=ended.get(phase)) for phase, at in began.items()
        )
