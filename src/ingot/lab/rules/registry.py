"""The rules about a lab under their ids, which begin with L.

They are kept apart from those about an install-config, whose checks take another subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ingot.config.problem import Finding
from ingot.lab.outline import Outline

__all__ = ["RULES", "Findings", "LabRule", "declare", "rule"]

Findings: TypeAlias = Iterator[Finding]
Check: TypeAlias = Callable[[Outline], Findings]


@dataclass(frozen=True, slots=True)
class LabRule:
    """One rule: its id, what it demands, and how that is found out.

    Attributes:
        check: None where the rule is enforced while the file is read.
    """

    id: str
    statement: str
    check: Check | None = None


RULES: dict[str, LabRule] = {}


def declare(rule_id: str, statement: str, check: Check | None = None) -> None:
    """Register a rule."""
    if rule_id in RULES:
        raise ValueError(f"rule {rule_id} is registered twice")
    RULES[rule_id] = LabRule(rule_id, statement, check)


def rule(rule_id: str, statement: str) -> Callable[[Check], Check]:
    """Register a check of the outline."""

    def register(function: Check) -> Check:
        declare(rule_id, statement, function)
        return function

    return register
