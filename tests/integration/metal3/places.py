"""Finding a place in an object by a path of the transcript, and wrong values for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.unit.metal3.api.transcript import Field

MISSING = object()


@dataclass(frozen=True, slots=True)
class Change:
    """A value to try, and what it is an example of."""

    name: str
    value: object


def holder(raw: Any, path: str) -> tuple[Any, str | int]:  # noqa: ANN401 - any JSON
    """Return what holds the value at a path, and the value's key or index in it.

    ``[]`` and ``{}`` lead to the first entry of a list or of a mapping.
    """
    steps: list[str] = re.findall(r"[^.\[\]{}]+|\[\]|\{\}", path)
    held: Any = {"": raw}
    key: str | int = ""
    for step in steps:
        held = held[key]
        key = 0 if step == "[]" else next(iter(held)) if step == "{}" else step
    return held, key


def value_at(raw: Any, path: str) -> object:  # noqa: ANN401 - any JSON
    """Return the value at a path."""
    held, key = holder(raw, path)
    try:
        return held[key]
    except (KeyError, IndexError):
        return MISSING


def allowed(field: Field) -> Iterator[Change]:
    """Yield values that a field has to take."""
    for word in field.words:
        value: object = {"True": True, "False": False}.get(word, word)
        if field.type.startswith("[]"):
            value = [value]
        yield Change(f"is {word!r}", value)
    if (least := field.limit("min")) is not None:
        yield Change("is least", int(least))
    if (most := field.limit("max")) is not None:
        yield Change("is most", int(most))
    if "nullable" in field.limits:
        yield Change("is null", None)
    if (longest := field.limit("maxLen")) is not None:
        yield Change("is as long as can be", "x" * int(longest))


def refused(field: Field, present: Any) -> Iterator[Change]:  # noqa: ANN401 - any JSON
    """Yield values that a field must not take, next to the one it has."""
    yield Change("is of another type", {"string": 5, "(int or string)": True}.get(field.type, "x"))
    if field.words:
        yield Change("is another word", ["wrong"] if field.type.startswith("[]") else "wrong")
    if (least := field.limit("min")) is not None:
        yield Change("is too little", int(least) - 1)
    if (most := field.limit("max")) is not None:
        yield Change("is too much", int(most) + 1)
    if (longest := field.limit("maxLen")) is not None:
        yield Change("is too long", "x" * (int(longest) + 1))
    if field.limit("pattern"):
        yield Change("does not match", "5254:00")
    if field.limit("format") == "date-time":
        yield Change("is no time", "yesterday")
    if (fewest := field.limit("minItems")) is not None:
        yield Change("has too few", present[: int(fewest) - 1])
    if (most_items := field.limit("maxItems")) is not None:
        yield Change("has too many", [_another(present[0], n) for n in range(int(most_items) + 1)])
    if "list-type map" in field.limits:
        yield Change("has one twice", [present[0], present[0]])


def _another(entry: Any, number: int) -> Any:  # noqa: ANN401 - any JSON
    """Return an entry that differs from others by its key, if it has one."""
    return entry | {"type": f"T{number}"} if "type" in entry else entry
