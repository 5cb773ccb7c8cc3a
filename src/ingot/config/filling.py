"""From a fitted tree to a built model, and from a place of the model to its line in the file.

What a reading refuses is reported, and repaired or left out, so that a model is always built and
the rules after it can say what else is wrong. Any section can be the top: an install-config's or
a lab's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from ingot.config.document import Entry, Mapping, Node, Sequence
from ingot.config.model.section import Section
from ingot.config.problem import Finding, Path, Problem, error, spell
from ingot.config.shape import F7, Fitted, Value

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["Places", "fill", "follows_from", "problem"]

Top = TypeVar("Top", bound=Section)


@dataclass(slots=True)
class Places:
    """Where in the file a place of the model is."""

    root: Mapping
    moves: dict[Path, Path] = field(default_factory=dict)
    kept: dict[Path, list[int]] = field(default_factory=dict)
    """For a list that lost unusable items: the index in the file of each that is left."""

    def counted(self, path: Path) -> Path:
        """Return a path of the model with the indices that items have in the file."""
        for length in range(len(path) - 1, -1, -1):
            kept = self.kept.get(path[:length])
            index = path[length]
            if kept is not None and isinstance(index, int) and index < len(kept):
                path = (*path[:length], kept[index], *path[length + 1 :])
        return path

    def written(self, path: Path) -> Path:
        """Return the path of the file that a path of the model came from."""
        path = self.counted(path)
        for length in range(len(path), 0, -1):
            if path[:length] in self.moves:
                return (*self.moves[path[:length]], *path[length:])
        return path

    def line(self, path: Path) -> int:
        """Return the line of a path of the file, or of the nearest place above that exists."""
        node: Node = self.root
        line = self.root.line
        for part in path:
            if isinstance(node, Mapping) and isinstance(part, str):
                entry = node.entries.get(part) or _any_case(node, part)
                if entry is None:
                    break
                line, node = entry
            elif isinstance(node, Sequence) and isinstance(part, int) and part < len(node.items):
                node = node.items[part]
                line = node.line
            else:
                break
        return line


def _any_case(node: Mapping, name: str) -> Entry | None:
    lower = name.lower()
    return next((entry for key, entry in node.entries.items() if key.lower() == lower), None)


def follows_from(path: Path, broken: set[Path]) -> bool:
    """Tell whether a finding only repeats that something there, or an item of it, is unusable."""
    within = any(path[:length] in broken for length in range(1, len(path) + 1))
    return within or any(place[:-1] == path for place in broken)


def problem(rule_id: str, finding: Finding, where: str, line: int) -> Problem:
    """Return a finding with its rule and its place."""
    return Problem(rule_id, where, line, finding.message, finding.remedy, finding.severity)


def fill(top: type[Top], fitted: Fitted, places: Places) -> Top:
    """Build the model; what a reading refuses is reported, and repaired or left out."""
    _drop_empty_items(fitted, places)
    try:
        return top.model_validate(fitted.data)
    except ValidationError as refused:
        errors = refused.errors(include_url=False, include_input=False)
    # From the end, so that taking an item out of a list moves none that is still to come.
    for details in sorted(errors, key=lambda one: _order(one["loc"]), reverse=True):
        _mend(fitted, places, details)
    return top.model_validate(fitted.data)


def _order(path: Path) -> tuple[tuple[str, int], ...]:
    return tuple((part, 0) if isinstance(part, str) else ("", part) for part in path)


def _mend(fitted: Fitted, places: Places, details: ErrorDetails) -> None:
    """Report one refused value, and put its repair in its place or take it out."""
    path = details["loc"]
    context = details.get("ctx", {})
    repair = context.get("repair")
    counted, written = places.counted(path), places.written(path)
    if "remedy" in context:
        finding = error(written, details["msg"], context["remedy"])
        fitted.findings.append((details["type"], finding))
    else:
        finding = error(written, f"{spell(written)}: {details['msg']}", "see `ingot explain`")
        fitted.findings.append((F7, finding))
    if repair is None:
        fitted.broken |= {written, counted}
    parent, last = _value_at(fitted.data, path[:-1]), path[-1]
    if isinstance(parent, dict) and isinstance(last, str):
        parent[last] = repair
        if repair is None:
            del parent[last]
    elif isinstance(parent, list) and isinstance(last, int):
        parent[last] = repair
        if repair is None:
            kept = places.kept.setdefault(path[:-1], list(range(len(parent))))
            del kept[last], parent[last]


def _value_at(data: Value, path: Path) -> Value:
    """Return the value at a path, or None when there is none."""
    for part in path:
        if isinstance(data, dict) and isinstance(part, str):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int):
            data = data[part]
        else:
            return None
    return data


def _drop_empty_items(fitted: Fitted, places: Places) -> None:
    """Take unusable items, which the fitting reported, out of lists of plain values."""
    lists = {path[:-1] for path in fitted.broken if path and isinstance(path[-1], int)}
    for path in lists:
        items = _value_at(fitted.data, path)
        if isinstance(items, list) and None in items:
            places.kept[path] = [i for i, item in enumerate(items) if item is not None]
            items[:] = [item for item in items if item is not None]
