"""What goals a look asks about, for tests of what they say."""

from __future__ import annotations

from dataclasses import replace

from ingot.metal3.host.observation import Observation
from ingot.metal3.node.goal import Goal
from ingot.metal3.node.progress import Progress


class Asked:
    """Notes every goal that is asked about."""

    def __init__(self, observed: Observation[str]) -> None:
        self.goals: list[Goal] = []
        self._answers = observed.progress_of
        self.seen = replace(observed, progress_of=self._progress_of)

    def _progress_of(self, goal: Goal) -> Progress[str]:
        self.goals.append(goal)
        return self._answers(goal)
