"""Every rule about an install-config, under its id.

A rule is a small function with a one-line statement. The statement is what the docs page lists, so
the page cannot drift from the code. Ids of the form C, G, N, P, M, B and R are those of the field's
own installer (see docs/reference/rules.md); F is about the file, X closes a gap that installer
leaves open, U refuses what is not built yet, O and D are warnings about foreign and old fields.

There are three kinds:

* a *check* looks at the completed config and yields findings;
* a *reading* is applied to one value while the model is built (see `ingot.config.reading`);
* a *declared* rule is enforced by the loader itself (files, names, conversion).

A reading may offer a repaired value (host bits cut off, letter case mended), so that the checks
after it can still say what else is wrong. All errors in one pass depends on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ingot.config.model import InstallConfig
    from ingot.config.problem import Finding, Path

__all__ = [
    "RETIRED",
    "RULES",
    "Check",
    "Findings",
    "Retired",
    "Rule",
    "check",
    "declare",
    "retire",
    "touches",
]

Findings: TypeAlias = "Iterator[Finding]"
Check: TypeAlias = "Callable[[InstallConfig], Findings]"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its id, what it demands, and where it differs from the field's own installer."""

    id: str
    statement: str
    note: str = ""
    check: Check | None = None
    needs: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Retired:
    """A rule of the field's own installer that cannot apply here, and why."""

    id: str
    reason: str


RULES: dict[str, Rule] = {}
RETIRED: dict[str, Retired] = {}


def _register(rule: Rule) -> None:
    if rule.id in RULES or rule.id in RETIRED:
        raise ValueError(f"rule {rule.id} is registered twice")
    RULES[rule.id] = rule


def check(
    rule_id: str, statement: str, *, needs: tuple[Path, ...] = (), note: str = ""
) -> Callable[[Check], Check]:
    """Register a check of the completed config.

    Args:
        rule_id: the id users see.
        statement: what must hold, in one sentence.
        needs: places that must have been readable; the check is left out when one was not, since
            its answer would only repeat that error in other words.
        note: where and why this differs from the field's own installer.
    """

    def register(function: Check) -> Check:
        _register(Rule(rule_id, statement, note, function, needs))
        return function

    return register


def declare(rule_id: str, statement: str, *, note: str = "") -> str:
    """Register a rule that is enforced while reading, and return its id."""
    _register(Rule(rule_id, statement, note))
    return rule_id


def retire(*rule_ids: str, reason: str) -> None:
    """Say why rules of the field's own installer have no place here."""
    for rule_id in rule_ids:
        if rule_id in RULES or rule_id in RETIRED:
            raise ValueError(f"rule {rule_id} is registered twice")
        RETIRED[rule_id] = Retired(rule_id, reason)


def touches(path: Path, need: Path) -> bool:
    """Tell whether a place lies on the way to what is needed, or below it; `*` is any index."""
    return all(want in (part, "*") for part, want in zip(path, need, strict=False))
