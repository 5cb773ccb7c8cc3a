"""Conditions as they are kept: one of each type, with the time of its last turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter

from ingot.machineapi.api.conditions import Condition, ConditionSeverity, ConditionStatus

__all__ = [
    "Observation",
    "condition",
    "difference",
    "holds",
    "is_news",
    "observed",
    "written",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Observation:
    """What is to be said of one condition.

    Attributes:
        type: which.
        holds: whether it does; None where that is not known.
        reason: why, as one word. One that holds needs none.
        message: why, as a sentence.
        severity: how bad it is; only where it does not hold.
    """

    type: str
    holds: bool | None
    reason: str = ""
    message: str = ""
    severity: ConditionSeverity | None = None

    @property
    def status(self) -> ConditionStatus:
        """The API's word for whether it holds."""
        if self.holds is None:
            return ConditionStatus.UNKNOWN
        return ConditionStatus.TRUE if self.holds else ConditionStatus.FALSE


def observed(
    before: tuple[Condition, ...], said: Iterable[Observation], *, now: datetime
) -> tuple[Condition, ...]:
    """Return conditions with some said anew; the time changes only where the status does."""
    kept = {one.type: one for one in before}
    for one in said:
        known = kept.get(one.type)
        since = known.last_transition_time if known and known.status is one.status else now
        kept[one.type] = Condition(
            type=one.type,
            status=one.status,
            severity=one.severity if one.holds is False else None,
            reason=one.reason,
            message=one.message,
            last_transition_time=since.replace(microsecond=0),
        )
    return tuple(kept[name] for name in sorted(kept))


def condition(conditions: Iterable[Condition], name: str) -> Condition | None:
    """Return a condition, if it was ever said."""
    return next((one for one in conditions if one.type == name), None)


def holds(conditions: Iterable[Condition], name: str) -> bool:
    """Tell whether a condition was said to hold."""
    found = condition(conditions, name)
    return found is not None and found.status is ConditionStatus.TRUE


def is_news(before: Iterable[Condition], said: Observation) -> bool:
    """Tell whether an observation says something else than before, so that it is worth an event."""
    known = condition(before, said.type)
    return known is None or (known.status, known.reason) != (said.status, said.reason)


def difference(before: T, after: T) -> dict[str, Any]:
    """Return the merge patch that turns one status into the other; empty if they are alike."""
    old, new = written(before), written(after)
    return {
        name: new.get(name)
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    }


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def written(part: object) -> dict[str, Any]:
    """Return a part of an object as JSON data, without what is empty."""
    model = type(part)
    if model not in _ADAPTERS:
        _ADAPTERS[model] = TypeAdapter(model)
    data: dict[str, Any] = _ADAPTERS[model].dump_python(
        part, mode="json", by_alias=True, exclude_none=True
    )
    return data
