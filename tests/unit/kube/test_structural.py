from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from ingot.kube.crd.structural import NotStructural, Schema, converted, structural_schema
from ingot.kube.crd.wire import (
    ATOMIC,
    INT32,
    NULLABLE,
    REQUIRED,
    STORED_DEFAULT,
    WIRE,
    Flag,
    Many,
    Publish,
    Text,
    Time,
    Whole,
    map_by,
)


class Colour(StrEnum):
    RED = "red"
    NONE = ""


def schema_of(annotation: type) -> Schema:
    """Return what the conversion makes of one value."""
    raw = TypeAdapter(annotation).json_schema()
    return converted(raw, raw.get("$defs", {}))


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, {"type": "string"}),
        (Text, {"type": "string"}),
        (Flag, {"type": "boolean"}),
        (Whole, {"type": "integer"}),
        (float, {"type": "number"}),
        (str | None, {"type": "string"}),
        (Time | None, {"type": "string", "format": "date-time"}),
        (Annotated[str | None, NULLABLE], {"type": "string", "nullable": True}),
        (Annotated[int, Field(ge=0, le=9), INT32] | None,
         {"type": "integer", "format": "int32", "minimum": 0, "maximum": 9}),
        (Annotated[str, Field(pattern="^a", min_length=1, max_length=3)],
         {"type": "string", "pattern": "^a", "minLength": 1, "maxLength": 3}),
        (Colour | None, {"type": "string", "enum": ["red", ""]}),
        (Literal["one"], {"type": "string", "enum": ["one"]}),
        (int | str, {"x-kubernetes-int-or-string": True}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (Annotated[Many[str], Field(min_length=1, max_length=2)],
         {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string"}}),
        (Mapping[str, int | str],
         {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": True}}),
        (Annotated[Many[str], map_by("a", "b")],
         {"type": "array", "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["a", "b"], "items": {"type": "string"}}),
        (Annotated[dict[str, str], Publish({"x-kubernetes-preserve-unknown-fields": True})],
         {"type": "object", "x-kubernetes-preserve-unknown-fields": True,
          "additionalProperties": {"type": "string"}}),
    ],
)  # fmt: skip
def test_a_value_becomes_one_type_with_its_limits(annotation: type, expected: Schema) -> None:
    assert schema_of(annotation) == expected


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int | bool, "several types"),
        (str | tuple[str, ...], "several types"),
        (object, "no type"),
        (frozenset[str], "uniqueItems"),
        (Annotated[int, Field(gt=0)], "exclusiveMinimum"),
        (tuple[str, int], "prefixItems"),
    ],
)
def test_what_a_structural_schema_cannot_say_is_refused(annotation: type, words: str) -> None:
    with pytest.raises(NotStructural, match=words) as caught:
        schema_of(annotation)
    assert caught.value.remedy


def test_a_refusal_names_the_path() -> None:
    node = {"type": "object", "properties": {"a": {"type": "array", "items": {"oneOf": []}}}}
    with pytest.raises(NotStructural, match=r"^a\[\] uses oneOf"):
        converted(node, {})


@dataclass(frozen=True, slots=True, kw_only=True, config=ATOMIC)
class Inner:
    """An inner part."""

    name: str
    """Its name."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Outer:
    """An outer part,
    told in two lines."""

    long_name: Annotated[Text, Field(alias="longNAME")] = "ours alone"
    """The first."""

    not_a_doc = "of the field above"
    """So this is not one either."""

    first_part: Inner | None = None
    """The second, over
    two lines."""

    silent: Inner = Field(default_factory=lambda: Inner(name="a"))

    stored: Annotated[Colour, STORED_DEFAULT] = Colour.RED
    """Filled in."""

    needed: Annotated[int, REQUIRED] = 0
    """Needed by the server only."""

    given: bool
    """Needed by all."""


def test_a_part_is_written_out_wherever_it_is_used() -> None:
    inner = {
        "type": "object",
        "x-kubernetes-map-type": "atomic",
        "required": ["name"],
        "properties": {"name": {"description": "Its name.", "type": "string"}},
    }
    assert structural_schema(Outer) == {
        "description": "An outer part, told in two lines.",
        "type": "object",
        "required": ["needed", "given"],
        "properties": {
            "longNAME": {"description": "The first.", "type": "string"},
            "firstPart": {"description": "The second, over two lines.", **inner},
            "silent": {"description": "An inner part.", **inner},
            "stored": {
                "description": "Filled in.",
                "type": "string",
                "default": "red",
                "enum": ["red", ""],
            },
            "needed": {"description": "Needed by the server only.", "type": "integer"},
            "given": {"description": "Needed by all.", "type": "boolean"},
        },
    }


def test_fields_keep_the_order_in_which_they_are_declared() -> None:
    names = list(structural_schema(Outer)["properties"])
    assert names == ["longNAME", "firstPart", "silent", "stored", "needed", "given"]
