"""The reference page of the kinds, told from the same schemas that the API server gets."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.manifest import object_schema
from ingot.kube.crd.structural import Schema
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = ["page"]

INTRODUCTION = f"""\
# The kinds of {GROUP}/{VERSION}

Generated from the models; `kubectl explain` tells the same in the terminal. Names, defaults and
limits are those of metal3, so that its tools and habits work here.

A field in **bold** has to be given. *Default* is what the API server fills in. `[]` stands for each
entry of a list and `{{}}` for each of a mapping.
"""

LIMITS = {
    "enum": "one of {}",
    "pattern": "matches `{}`",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
    "x-kubernetes-list-map-keys": "told apart by {}",
    "nullable": "may be null",
}


def page() -> str:
    """Return the page."""
    lines = [*INTRODUCTION.splitlines(), ""]
    lines += ["| kind | short | scope | status | what it is |", "|---|---|---|---|---|"]
    schemas = {definition.kind: object_schema(definition) for definition in DEFINITIONS}
    lines += [_overview(one, schemas[one.kind]) for one in DEFINITIONS]
    for definition in DEFINITIONS:
        lines += ["", *_section(definition, schemas[definition.kind])]
    return "\n".join(lines) + "\n"


def _overview(definition: Definition, schema: Schema) -> str:
    short = ", ".join(f"`{name}`" for name in definition.short_names)
    status = "apart" if definition.has_status else "none"
    return (
        f"| [{definition.kind}](#{definition.kind.lower()}) | {short} | {definition.scope.lower()} "
        f"| {status} | {schema['description']} |"
    )


def _section(definition: Definition, schema: Schema) -> Iterator[str]:
    yield f"## {definition.kind}"
    yield ""
    yield schema["description"]
    yield ""
    if definition.columns:
        wide = [column.name for column in definition.columns if column.priority]
        shown = [column.name for column in definition.columns if not column.priority]
        more = f"; {', '.join(wide)} with `-o wide`" if wide else ""
        yield f"`kubectl get {definition.plural}` shows {', '.join(shown)}{more}."
        yield ""
    yield "| field | type | default | limits | meaning |"
    yield "|---|---|---|---|---|"
    for part in ("spec", "status"):
        if part in schema["properties"]:
            yield from _rows(schema["properties"][part], part, required=False)


def _rows(schema: Schema, path: str, *, required: bool) -> Iterator[str]:
    default = f"`{_spelled(schema['default'])}`" if "default" in schema else ""
    name = f"**`{path}`**" if required else f"`{path}`"
    inner, below = _below(schema, path)
    limits = [_limits(schema)] + ([_limits(inner)] if not inner.get("properties") else [])
    yield (
        f"| {name} | {_type(schema)} | {default} | {'; '.join(filter(None, limits))} "
        f"| {escape(schema.get('description', ''), quote=False)} |"
    )
    for child, one in inner.get("properties", {}).items():
        yield from _rows(one, f"{below}.{child}", required=child in inner.get("required", ()))


def _below(schema: Schema, path: str) -> tuple[Schema, str]:
    """Return the schema whose fields come next, and the path to it."""
    if "items" in schema:
        return schema["items"], f"{path}[]"
    if "additionalProperties" in schema:
        return schema["additionalProperties"], f"{path}{{}}"
    return schema if "properties" in schema else {}, path


def _type(schema: Schema) -> str:
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    if "additionalProperties" in schema:
        return f"mapping to {_type(schema['additionalProperties'])}"
    if "x-kubernetes-int-or-string" in schema:
        return "integer or string"
    return str(schema.get("format", schema["type"]))


def _limits(schema: Schema) -> str:
    told = []
    for keyword, words in LIMITS.items():
        if keyword in schema and "properties" not in schema:
            told.append(words.format(_spelled(schema[keyword])))
    told += [rule["message"] for rule in schema.get("x-kubernetes-validations", ())]
    return ", ".join(told)


def _spelled(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(f"`{_spelled(one)}`" for one in value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else '""'
