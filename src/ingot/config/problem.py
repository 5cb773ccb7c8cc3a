"""A problem found in an install-config, and the path that says where.

Rules yield findings, which know nothing of files. The report adds the rule's id and the line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

__all__ = ["Finding", "Path", "Problem", "Report", "Severity", "at", "error", "spell", "warning"]

Path: TypeAlias = tuple[str | int, ...]
"""A place in the config: `("platform", "baremetal", "hosts", 2, "bmc", "address")`."""

BAREMETAL: Path = ("platform", "baremetal")
"""Where most problems are."""


class Severity(StrEnum):
    """Whether an install may start."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule has to say about one place."""

    path: Path
    message: str
    remedy: str
    severity: Severity = Severity.ERROR


def error(path: Path, message: str, remedy: str) -> Finding:
    """Return a finding that keeps an install from starting."""
    return Finding(path, message, remedy)


def warning(path: Path, message: str, remedy: str) -> Finding:
    """Return a finding that an install may start with."""
    return Finding(path, message, remedy, Severity.WARNING)


def at(*parts: str | int) -> Path:
    """Return a path below `platform.baremetal`, where most rules look."""
    return (*BAREMETAL, *parts)


def spell(path: Path) -> str:
    """Return the path as a person writes it: `platform.baremetal.hosts[2].bmc.address`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif text:
            text += f".{part}"
        else:
            text = part
    return text


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding with its rule and its place in the file."""

    rule: str
    field: str
    line: int
    message: str
    remedy: str
    severity: Severity

    @property
    def sentence(self) -> str:
        """What is wrong and what to do, in one line."""
        return f"{self.message}; {self.remedy}" if self.remedy else self.message

    def as_json(self) -> dict[str, str | int]:
        """Return the form of `ingot validate -o json`, whose keys are a contract."""
        return {
            "rule": self.rule,
            "field": self.field,
            "message": self.sentence,
            "line": self.line,
        }


@dataclass(slots=True)
class Report:
    """Everything found in one pass over a file."""

    problems: list[Problem] = field(default_factory=list)

    def of(self, severity: Severity) -> list[Problem]:
        """Return the problems of one severity, in the order of the file."""
        found = [problem for problem in self.problems if problem.severity is severity]
        return sorted(found, key=lambda problem: (problem.line, problem.field, problem.rule))

    @property
    def errors(self) -> list[Problem]:
        """What keeps an install from starting."""
        return self.of(Severity.ERROR)

    @property
    def warnings(self) -> list[Problem]:
        """What an install may start with."""
        return self.of(Severity.WARNING)

    @property
    def valid(self) -> bool:
        """Whether an install may start."""
        return not self.errors
