"""Fits a YAML tree to the model: names, and the kind of each value.

Here a scalar learns whether it is text, a number or a flag, by what the model says of its field and
not by how it looks. Unknown names, other letter cases and wrong kinds are collected; what cannot be
used is left out, so that the rest can still be checked.
"""

from __future__ import annotations

import re
import types
import typing
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, TypeAlias, get_args, get_origin

from ingot.config.document import Mapping, Node, Scalar, Sequence
from ingot.config.model.section import Section
from ingot.config.problem import Finding, Path, error, spell, warning
from ingot.config.registry import declare
from ingot.config.secret import Secret
from ingot.config.spelling import nearest

__all__ = ["Fields", "Fitted", "Items", "Kind", "Simple", "fields_of", "fit", "kind_of"]

F5 = declare("F5", "Every field is one that the install-config has.")
F6 = declare(
    "F6",
    "Field names are written in their own letter case (warning).",
    note="The field's installer accepts any letter case without a word.",
)
F8 = declare("F8", "A list has at most 2,000 entries.")
F7 = declare("F7", "A value is of its field's kind: text, whole number, flag, list or mapping.")

MAX_ITEMS = 2000
"""No rack row has more hosts, and rules that compare each entry with each stay quick."""

MAX_SUGGESTIONS = 20
"""Finding the nearest name takes a millisecond; a file of nothing but unknown names has many."""

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"


class Simple(typing.NamedTuple):
    """A value without parts."""

    name: str


class Items(typing.NamedTuple):
    """A list of values of one kind."""

    each: Kind


class Fields(typing.NamedTuple):
    """A mapping of known fields."""

    section: type[Section]


Kind: TypeAlias = Simple | Items | Fields

TEXT, WHOLE, FLAG = Simple("text"), Simple("a whole number"), Simple("true or false")
NUMBER = Simple("a number")
FREE, SECRET = Simple("anything"), Simple("text, {env: NAME} or {file: PATH}")

SHOWN_CHARACTERS = 80
LISTED_NAMES = 12
"""What fits on a line or two."""


@dataclass(slots=True)
class Fitted:
    """The data as the model takes it, and what did not fit."""

    data: dict[str, Value]
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    broken: set[Path] = field(default_factory=set)
    """Places that were given but could not be used."""


def fit(root: Mapping, section: type[Section]) -> Fitted:
    """Fit a document to a section."""
    fitted = Fitted({})
    _fill(root, section, (), fitted, fitted.data)
    return fitted


@cache
def fields_of(section: type[Section]) -> dict[str, Kind]:
    """Return the kind of each of a section's fields, by its name in the file."""
    hints = typing.get_type_hints(section, include_extras=True)
    return {info.alias or name: kind_of(hints[name]) for name, info in section.model_fields.items()}


@cache
def _by_lower_case(section: type[Section]) -> dict[str, str]:
    return {name.lower(): name for name in fields_of(section)}


def kind_of(annotation: object) -> Kind:
    """Return the kind of value that an annotation stands for."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return kind_of(get_args(annotation)[0])
    if origin is tuple:
        return Items(kind_of(get_args(annotation)[0]))
    if origin in (types.UnionType, typing.Union):
        options = [option for option in get_args(annotation) if option is not type(None)]
        return kind_of(options[0])
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return Fields(annotation)
    simple: dict[object, Kind] = {
        int: WHOLE,
        float: NUMBER,
        bool: FLAG,
        object: FREE,
        Secret: SECRET,
    }
    return simple.get(annotation, TEXT)


def _fill(
    node: Mapping, section: type[Section], path: Path, fitted: Fitted, into: dict[str, Value]
) -> None:
    known = fields_of(section)
    taken = node.entries.keys() & known.keys()
    for written, (_, child) in node.entries.items():
        name = written
        if written not in known:
            name = _by_lower_case(section).get(written.lower(), "")
            if not name or name in taken:
                _report_unknown(written, section, path, fitted, again=name)
                continue
            taken.add(name)
            fitted.findings.append(
                (F6, warning((*path, written), f"{written} is read as {name}", f"write {name}"))
            )
        value = _convert(child, known[name], (*path, name), fitted)
        if value is not None:
            into[name] = value


def _report_unknown(
    written: str, section: type[Section], path: Path, fitted: Fitted, *, again: str
) -> None:
    """Report a name that is no field, or one that is a field's second spelling here."""
    known = fields_of(section)
    where = f" in {spell(path)}" if path else ""
    # `{password:hunter2}` is all name to YAML: what follows the colon is not to be shown.
    shown, colon, _ = written.partition(":")
    few = sum(rule == F5 for rule, _ in fitted.findings[:MAX_SUGGESTIONS]) < MAX_SUGGESTIONS
    near = nearest(shown, known) if few else None
    if again:
        message, remedy = f"{shown} is {again} in another letter case", f"keep only {again}"
    elif colon:
        message, remedy = f"a name with a colon in it is not a field{where}", "put a space after :"
    elif near:
        message, remedy = f"{_short(shown)} is not a field{where}", f"did you mean {near}?"
    else:
        message = f"{_short(shown)} is not a field{where}"
        names = sorted(known)
        listed = ", ".join(names[:LISTED_NAMES]) + (", …" if names[LISTED_NAMES:] else "")
        remedy = f"remove it; known here: {listed}" if names else "remove it; none is known here"
    fitted.findings.append((F5, error((*path, shown), message, remedy)))


def _short(name: str) -> str:
    if name and name.isprintable() and len(name) <= SHOWN_CHARACTERS:
        return name
    return repr(name[:SHOWN_CHARACTERS])


def _convert(node: Node, kind: Kind, path: Path, fitted: Fitted) -> Value:
    """Return the value in its field's kind; None when it is absent, empty or does not fit."""
    value: Value = None
    if isinstance(node, Scalar) and is_null(node):
        return None
    if kind is FREE:
        return free_value(node)
    if isinstance(kind, Fields) and isinstance(node, Mapping):
        section: dict[str, Value] = {}
        _fill(node, kind.section, path, fitted, section)
        return section
    if isinstance(kind, Items) and isinstance(node, Sequence):
        return _convert_items(node.items, kind.each, path, fitted)
    if isinstance(kind, Simple) and isinstance(node, Scalar):
        if not node.text and kind not in (WHOLE, NUMBER, FLAG):
            return None
        value = _scalar_value(node, kind)
    elif kind is SECRET and isinstance(node, Mapping):
        value = _secret_place(node)
    if value is None:
        _report_misfit(node, kind, path, fitted)
    return value


def _convert_items(items: list[Node], kind: Kind, path: Path, fitted: Fitted) -> Value:
    if len(items) > MAX_ITEMS:
        long = error(path, f"{spell(path)} has {len(items):,} entries", f"keep to {MAX_ITEMS:,}")
        fitted.findings.append((F8, long))
        fitted.broken.add(path)
        return None
    return [_convert_item(item, kind, (*path, index), fitted) for index, item in enumerate(items)]


def _convert_item(node: Node, kind: Kind, path: Path, fitted: Fitted) -> Value:
    """Return a list's item; a list keeps its length, so that indices stay those of the file."""
    value = _convert(node, kind, path, fitted)
    if value is None and isinstance(kind, Fields):
        return {}
    if value is None and path not in fitted.broken:
        _report_misfit(node, kind, path, fitted)
    return value


def _scalar_value(node: Scalar, kind: Simple) -> Value:
    if kind is WHOLE:
        return as_whole(node)
    if kind is NUMBER:
        return as_number(node)
    if kind is FLAG:
        return as_flag(node)
    return node.text


def _secret_place(node: Mapping) -> Value:
    """Return `{env: NAME}` and the like as plain data, if it is that simple."""
    parts = {key: entry.node for key, entry in node.entries.items()}
    texts: dict[str, Value] = {
        key: "" if is_null(part) else part.text
        for key, part in parts.items()
        if isinstance(part, Scalar)
    }
    return texts if texts and len(texts) == len(parts) else None


def _report_misfit(node: Node, kind: Kind, path: Path, fitted: Fitted) -> None:
    wanted = kind.name if isinstance(kind, Simple) else _COLLECTIONS[type(kind)]
    remedy = f"write {wanted}"
    if isinstance(node, Mapping):
        got = "a mapping"
        if kind is SECRET:
            remedy = "put it in single quotes, or write {env: NAME} or {file: PATH}"
    elif isinstance(node, Sequence):
        got = "a list"
    elif not node.text or is_null(node):
        got = "empty"
    elif kind in (WHOLE, NUMBER, FLAG):
        got = repr(node.text[:SHOWN_CHARACTERS])
        if not node.plain:
            got, remedy = "text in quotes", f"{remedy} without quotes"
    else:
        got = "a single value"
    fitted.broken.add(path)
    fitted.findings.append((F7, error(path, f"{spell(path)} is {got}, not {wanted}", remedy)))


_COLLECTIONS = {Fields: "a mapping", Items: "a list"}

# Plain scalars, as YAML 1.1 readers such as the field's own installer take them.
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "yes", "on", "y"})
_FALSE = frozenset({"false", "no", "off", "n"})
_CORE_FLAGS = {"true": True, "false": False}
_WHOLE_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]{0,18})")
_REAL_NUMBER = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")


def is_null(node: Scalar) -> bool:
    """Tell whether nothing was given."""
    return node.plain and node.text in _NULL


def as_whole(node: Scalar) -> int | None:
    """Return a plain scalar as a whole number, if it is one."""
    if node.plain and _WHOLE_NUMBER.fullmatch(node.text):
        return int(node.text)
    return None


def as_number(node: Scalar) -> float | None:
    """Return a plain scalar as a number, whole or not, if it is one."""
    if node.plain and _REAL_NUMBER.fullmatch(node.text):
        return float(node.text)
    return as_whole(node)


def as_flag(node: Scalar) -> bool | None:
    """Return a plain scalar as a flag, if it is one."""
    word = node.text.lower()
    if not node.plain or word not in _TRUE | _FALSE:
        return None
    return word in _TRUE


def free_value(node: Node) -> Value:
    """Return a value whose kind no model knows, by how it looks, as YAML's core schema does."""
    if isinstance(node, Mapping):
        return {key: free_value(entry.node) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [free_value(item) for item in node.items]
    return _free_scalar(node)


def _free_scalar(node: Scalar) -> Value:
    number = as_whole(node)
    if number is not None:
        return number
    if not node.plain:
        return node.text
    if _REAL_NUMBER.fullmatch(node.text):
        return float(node.text)
    return None if node.text in _NULL else _CORE_FLAGS.get(node.text.lower(), node.text)
