"""Label selectors: whether they can be used, and what they match.

Two dialects are taken: Kubernetes' own (`In`, `DoesNotExist`) and that of older provider specs
(`in`, `!`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from ingot.machineapi.api.providerspec import Requirement

__all__ = ["Selector", "as_text", "matches", "mistakes"]

_WORDS: Final = {
    "in": "in",
    "=": "in",
    "==": "in",
    "notin": "notin",
    "!=": "notin",
    "exists": "exists",
    "!": "absent",
    "doesnotexist": "absent",
}
_WITH_VALUES: Final = frozenset({"in", "notin"})


class Selector(Protocol):
    """A host selector, or that of a set."""

    @property
    def match_labels(self) -> Mapping[str, str]:
        """Labels that are asked for."""

    @property
    def match_expressions(self) -> tuple[Requirement, ...]:
        """Rules about labels."""


def mistakes(selector: Selector, where: str) -> list[str]:
    """Return what keeps a selector from being used, each with its place."""
    found = []
    for number, rule in enumerate(selector.match_expressions):
        place = f"{where}.matchExpressions[{number}]"
        meaning = _WORDS.get(rule.operator.lower())
        if not rule.key:
            found.append(f"{place}.key is missing")
        if meaning is None:
            found.append(
                f"{place}.operator {rule.operator!r} is none of In, NotIn, Exists, DoesNotExist"
            )
        elif meaning in _WITH_VALUES and not rule.values:
            found.append(f"{place}.values is empty, and {rule.operator} needs some")
        elif meaning not in _WITH_VALUES and rule.values:
            found.append(f"{place}.values is given, and {rule.operator} takes none")
    return found


def matches(selector: Selector, labels: Mapping[str, str]) -> bool:
    """Tell whether all rules of a selector hold; one that cannot be used matches nothing."""
    return all(labels.get(key) == value for key, value in selector.match_labels.items()) and all(
        _holds(rule, labels) for rule in selector.match_expressions
    )


def as_text(selector: Selector) -> str:
    """Return a selector as kubectl takes it."""
    parts = [f"{key}={value}" for key, value in sorted(selector.match_labels.items())]
    for rule in selector.match_expressions:
        values = ",".join(sorted(rule.values))
        match _WORDS.get(rule.operator.lower()):
            case "exists":
                parts.append(rule.key)
            case "absent":
                parts.append(f"!{rule.key}")
            case word:
                parts.append(f"{rule.key} {word} ({values})")
    return ",".join(parts)


def _holds(rule: Requirement, labels: Mapping[str, str]) -> bool:
    match _WORDS.get(rule.operator.lower()):
        case "in":
            return labels.get(rule.key) in rule.values
        case "notin":  # As in Kubernetes, also where the label is missing.
            return labels.get(rule.key) not in rule.values
        case "exists":
            return rule.key in labels
        case "absent":
            return rule.key not in labels
        case _:
            return False
