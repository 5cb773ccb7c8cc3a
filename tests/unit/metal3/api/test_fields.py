"""Every field of the definitions against a transcript of metal3's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.manifest import object_schema
from ingot.kube.crd.structural import Schema
from ingot.metal3.api.kinds import DEFINITIONS
from tests.unit.metal3.api.transcript import EMPTY, Field, transcribed

WHOLE = {
    frozenset({"name", "namespace"}): "{name, namespace}",
    frozenset(
        {"apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"}
    ): "core/v1 ObjectReference",
}
WHOLE_LISTS = {
    frozenset({"key", "effect", "value", "timeAdded"}): "core/v1 Taint list",
    frozenset(
        {"type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"}
    ): "metav1.Condition list",
}
LIMITS = {
    "minItems": "minItems",
    "maxItems": "maxItems",
    "minimum": "min",
    "maximum": "max",
    "maxLength": "maxLen",
    "format": "format",
    "pattern": "pattern",
}


def flattened(definition: Definition) -> dict[str, Field]:
    parts = object_schema(definition)["properties"]
    found: dict[str, Field] = {}
    for part in ("spec", "status"):
        if part in parts:
            found.update(_below(part, parts[part], required=False))
    return found


def _below(path: str, schema: Schema, *, required: bool) -> Iterator[tuple[str, Field]]:
    kind = _kind(schema)
    yield path, Field(kind, required, frozenset(_limits(schema)))
    if kind in WHOLE.values() or kind in WHOLE_LISTS.values():
        return
    inner, mark = schema, ""
    if "items" in schema:
        inner, mark = schema["items"], "[]"
    elif "additionalProperties" in schema:
        inner, mark = schema["additionalProperties"], "{}"
    for name, child in inner.get("properties", {}).items():
        yield from _below(f"{path}{mark}.{name}", child, required=name in inner.get("required", ()))


def _kind(schema: Schema) -> str:
    if "items" in schema:
        names = frozenset(schema["items"].get("properties", ()))
        return WHOLE_LISTS.get(names, f"[]{_kind(schema['items'])}")
    if "additionalProperties" in schema:
        return f"map[string]{_kind(schema['additionalProperties'])}"
    if schema.get("x-kubernetes-int-or-string"):
        return "(int or string)"
    return WHOLE.get(frozenset(schema.get("properties", ())), str(schema["type"]))


def _limits(schema: Schema) -> Iterator[str]:
    for keyword, word in LIMITS.items():
        if keyword in schema:
            yield f"{word}: {schema[keyword]}"
    if "enum" in schema:
        yield "enum: " + " / ".join(str(one) or EMPTY for one in schema["enum"])
    if "enum" in schema.get("items", ()):
        yield f"item enum: {' / '.join(schema['items']['enum'])}"
    if "default" in schema:
        yield f"default: {schema['default']}"
    if schema.get("nullable"):
        yield "nullable"
    if schema.get("x-kubernetes-list-type") == "map":
        yield "list-type map"
    if "x-kubernetes-validations" in schema:
        yield "CEL"


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.kind)
def test_each_field_has_the_type_and_limits_of_metal3s(definition: Definition) -> None:
    assert flattened(definition) == transcribed()[definition.kind]


def test_the_transcript_has_exactly_our_kinds() -> None:
    assert transcribed().keys() == {definition.kind for definition in DEFINITIONS}


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.kind)
def test_every_field_says_what_it_means(definition: Definition) -> None:
    silent: list[str] = []

    def look(path: str, schema: Schema) -> None:
        for name, child in schema.get("properties", {}).items():
            if not child.get("description"):
                silent.append(f"{path}.{name}")
            look(f"{path}.{name}", child)
        for key in ("items", "additionalProperties"):
            if key in schema:
                look(f"{path}[]", schema[key])

    look("", {"properties": {
        name: part for name, part in object_schema(definition)["properties"].items()
        if name != "metadata"
    }})  # fmt: skip
    assert silent == []
