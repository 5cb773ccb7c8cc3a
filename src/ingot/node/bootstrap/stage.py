"""The stages of a bootstrap, and the journal of those that were reached."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

__all__ = ["Goal", "Journal", "Stage", "Times", "stages_of"]


class Stage(StrEnum):
    """What the bootstrap is doing. They follow each other in this order."""

    NETWORK = "network"
    CONTROL_PLANE = "control-plane"
    MANIFESTS = "manifests"
    SERVICES = "services"
    HOSTS = "hosts"
    JOIN = "join"
    HAND_OVER = "hand-over"
    COMPLETE = "complete"


class Goal(StrEnum):
    """What a bootstrap VM is for."""

    INSTALL = "install"
    WIPE = "wipe"


_ONLY_TO_INSTALL = frozenset({Stage.JOIN, Stage.HAND_OVER})


def stages_of(goal: Goal) -> tuple[Stage, ...]:
    """Return the stages that lead to a goal, in their order."""
    left_out = _ONLY_TO_INSTALL if goal is Goal.WIPE else frozenset()
    return tuple(stage for stage in Stage if stage not in left_out)


@dataclass(frozen=True, slots=True)
class Times:
    """When a stage began and ended; as the journal has it."""

    began: str
    ended: str | None = None


@dataclass(slots=True)
class Journal:
    """Which stages were reached when, kept in a file.

    Attributes:
        path: the file.
        stages: those that have begun.
    """

    path: Path
    stages: dict[Stage, Times] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Journal:
        """Return what is written down; nothing where it is unreadable, since stages look first."""
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            stages = {Stage(name): Times(*times) for name, times in said.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            stages = {}
        return cls(path, stages)

    def began(self, stage: Stage) -> None:
        """Write down that a stage has begun; the first time counts."""
        if stage not in self.stages:
            self.stages[stage] = Times(_now())
            self._write()

    def ended(self, stage: Stage) -> None:
        """Write down that a stage is behind us."""
        self.stages[stage] = Times(self.stages[stage].began, _now())
        self._write()

    def is_behind(self, stage: Stage) -> bool:
        """Return whether a stage has ended."""
        return stage in self.stages and self.stages[stage].ended is not None

    def told(self) -> list[dict[str, str | None]]:
        """Return it for others to read."""
        return [
            {"name": stage.value, "began": times.began, "ended": times.ended}
            for stage, times in self.stages.items()
        ]

    def _write(self) -> None:
        text = json.dumps({one.value: [at.began, at.ended] for one, at in self.stages.items()})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name(f"{self.path.name}.new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
