"""What a field means, told from the model: type, default, allowed values and meaning.

The meanings are the docstrings below the fields. They are read from the source when asked for,
since having pydantic collect them would slow down every start. Defaults are those of a completed
empty config, so they are what an install would use.
"""

from __future__ import annotations

import ast
import inspect
import ipaddress
import textwrap
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

from pydantic_core import PydanticUndefined

from ingot.bmc.address import BmcAddress
from ingot.config.defaults import complete
from ingot.config.model import BareMetal, InstallConfig, Platform
from ingot.config.model.section import (
    Deprecated,
    ForeignPlatform,
    NotYet,
    OpenShiftOnly,
    Section,
)
from ingot.config.reading import AddressRange, MacAddress
from ingot.config.secret import Secret
from ingot.config.shape import Fields, Items, Kind, fields_of
from ingot.config.spelling import nearest
from ingot.errors import IngotError

__all__ = ["FieldDoc", "UnknownField", "children", "describe", "documented"]


class UnknownField(IngotError):  # noqa: N818 - it names what was seen
    """The model has no such field."""


@dataclass(frozen=True, slots=True)
class FieldDoc:
    """Everything that is known of one field."""

    path: str
    kind: str
    default: str
    allowed: tuple[str, ...]
    meaning: str
    note: str
    """Whether it is deprecated, ignored or refused; empty for a field that is honoured."""
    section: type[Section] | None
    """The fields below it, if it is a mapping or a list of mappings."""


def describe(path: str) -> FieldDoc:
    """Return a field by its path; indices and letter case do not matter.

    Raises:
        UnknownField: there is no such field; the nearest one is named.
    """
    section: type[Section] = InstallConfig
    doc: FieldDoc | None = None
    for part in _parts(path):
        docs = {one.path.rpartition(".")[2].removesuffix("[]"): one for one in
                _fields(section, doc.path if doc else "")}  # fmt: skip
        name = {known.lower(): known for known in docs}.get(part.lower())
        if name is None:
            raise _unknown(part, doc, list(docs))
        doc = docs[name]
        section = doc.section or Section
    if doc is None:
        raise _unknown(path, None, list(fields_of(InstallConfig)))
    return doc


def children(doc: FieldDoc | None) -> list[FieldDoc]:
    """Return the fields below one, or the top's."""
    if doc is None:
        return _fields(InstallConfig, "")
    return _fields(doc.section, doc.path) if doc.section else []


def documented(section: type[Section], above: str = "") -> list[FieldDoc]:
    """Return the fields of any section, with the defaults that it declares itself.

    Args:
        section: a section of an install-config or of another file.
        above: the path that leads to it.
    """
    return _fields(section, above, default=lambda _path, declared: _spelled(declared))


def _parts(path: str) -> list[str]:
    plain = "".join(part.partition("[")[0] for part in path.split("]"))
    return [part for part in plain.split(".") if part]


def _unknown(part: str, parent: FieldDoc | None, known: list[str]) -> UnknownField:
    where = parent.path.removesuffix("[]") if parent else "the install-config"
    near = nearest(part, known)
    if near:
        remedy = f"did you mean {near}?"
    elif known:
        remedy = f"it has {', '.join(known)}"
    else:
        remedy = f"{where} has no fields below it"
    return UnknownField(f"{where} has no field {part!r}", remedy=remedy)


def _fields(
    section: type[Section],
    above: str,
    *,
    default: Callable[[str, object], str] | None = None,
) -> list[FieldDoc]:
    default = default or _default
    hints = typing.get_type_hints(section, include_extras=True)
    meanings = _meanings(section)
    docs = []
    for name, info in section.model_fields.items():
        if any(isinstance(mark, ForeignPlatform) for mark in info.metadata):
            continue
        written = info.alias or name
        kind = fields_of(section)[written]
        suffix = "[]" if isinstance(kind, Items) else ""
        path = f"{above}.{written}{suffix}" if above else f"{written}{suffix}"
        plain = _unwrapped(hints[name])
        docs.append(
            FieldDoc(
                path=path,
                kind=_type_name(plain, kind),
                default="" if isinstance(kind, Fields) else default(path, info.default),
                allowed=_allowed(plain),
                meaning=meanings.get(name, ""),
                note=_note(info.metadata),
                section=_section(kind),
            )
        )
    return docs


def _section(kind: Kind) -> type[Section] | None:
    if isinstance(kind, Items):
        return _section(kind.each)
    return kind.section if isinstance(kind, Fields) else None


def _unwrapped(annotation: object) -> object:
    """Return the one type that an annotation is about: without marks, lists and None."""
    while True:
        arguments = typing.get_args(annotation)
        if not arguments:
            return annotation
        annotation = next(one for one in arguments if one is not type(None))


_TYPE_NAMES: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    object: "any value",
    ipaddress.IPv4Address: "IP address",
    ipaddress.IPv4Network: "CIDR",
    AddressRange: "first and last address, separated by a comma",
    MacAddress: "MAC address",
    BmcAddress: "BMC address",
    Secret: "text, {env: NAME} or {file: PATH}",
}


def _type_name(plain: object, kind: Kind) -> str:
    if isinstance(kind, Items):
        each = _type_name(plain, kind.each)
        return "list of mappings" if each == "mapping" else f"list of: {each}"
    if isinstance(kind, Fields):
        return "mapping"
    if isinstance(plain, type) and issubclass(plain, StrEnum):
        return "one of the allowed words"
    return _TYPE_NAMES.get(plain, "text")


def _allowed(plain: object) -> tuple[str, ...]:
    if isinstance(plain, type) and issubclass(plain, StrEnum):
        return tuple(option.value for option in plain if option.value)
    return ("true", "false") if plain is bool else ()


def _note(marks: list[object]) -> str:
    for mark in marks:
        if isinstance(mark, Deprecated):
            return f"deprecated: use {mark.instead}"
        if isinstance(mark, NotYet):
            return f"refused: {mark.sentence}"
        if isinstance(mark, OpenShiftOnly):
            return "accepted and ignored: only OpenShift has it"
    return ""


@cache
def _completed() -> InstallConfig:
    return complete(InstallConfig(platform=Platform(baremetal=BareMetal())))


def _default(path: str, declared: object) -> str:
    """Return the default of an install that says nothing about the field."""
    value: object = _completed()
    for part in path.replace("[]", "").split("."):
        name = _attribute(type(value), part)
        if name is None:
            value = declared  # below a list: each entry starts from the model's own default
            break
        value = getattr(value, name)
    return _spelled(value)


def _attribute(section: type, written: str) -> str | None:
    if not issubclass(section, Section):
        return None
    names = {info.alias or name: name for name, info in section.model_fields.items()}
    return names.get(written)


def _spelled(value: object) -> str:
    if value is None or value is PydanticUndefined or value in ("", ()):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(filter(None, (_spelled(one) for one in value)))
    if isinstance(value, Section):
        given = value.model_dump(by_alias=True, exclude_defaults=True)
        return ", ".join(f"{name}: {_spelled(one)}" for name, one in given.items())
    return str(value)


@cache
def _meanings(section: type[Section]) -> dict[str, str]:
    """Return the docstring below each field, by reading the source of a section and those above."""
    found: dict[str, str] = {}
    for one in reversed(section.__mro__):
        if issubclass(one, Section) and one is not Section:
            found |= _own_meanings(one)
    return found


def _own_meanings(section: type[Section]) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(section)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found = {}
    for field, below in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            found[field.target.id] = " ".join(str(below.value.value).split())
    return found
