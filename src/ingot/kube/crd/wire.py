"""How a part of an object is declared: its naming on the wire, and the marks a field may carry.

Parts are pydantic dataclasses with slots and not ``BaseModel``: a thousand hosts with their
hardware then take a quarter of the memory and less than half of the time to read. A part cannot be
changed once made; ``dataclasses.replace`` makes the next one, and checks it.

A field follows what Go's JSON does for upstream: an optional text, number, flag or list that is
empty is not written. Where "empty" and "not said" differ, or where empty is no allowed value, the
field is None until it is said. A mark only changes the published schema; reading never looks at it.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

__all__ = [
    "ATOMIC",
    "DOUBLE",
    "INT32",
    "INT64",
    "NULLABLE",
    "OMIT_EMPTY",
    "OMIT_UNSET",
    "PUBLISHED_DEFAULT",
    "PUBLISHED_REQUIRED",
    "REQUIRED",
    "STORED_DEFAULT",
    "WIRE",
    "Flag",
    "Many",
    "Publish",
    "Text",
    "Time",
    "Whole",
    "Words",
    "map_by",
]

WIRE = ConfigDict(
    alias_generator=to_camel,
    # Nothing is compiled before it is first read: a command that only imports pays little.
    defer_build=True,
    validate_by_alias=True,
    validate_by_name=True,
)
"""How every part is read. Unknown fields are passed over: a newer API may have more."""

ATOMIC = ConfigDict(**WIRE, json_schema_extra={"x-kubernetes-map-type": "atomic"})
"""A part that two appliers never share: a reference is replaced as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Publish:
    """Keywords that a field adds to its published schema, and nothing else."""

    keywords: Mapping[str, Any]

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(core), **self.keywords}


PUBLISHED_DEFAULT = "x-ingot-default"
PUBLISHED_REQUIRED = "x-ingot-required"
"""Keywords for the conversion only; it acts on them and takes them out."""

STORED_DEFAULT = Publish({PUBLISHED_DEFAULT: True})
"""The API server fills in this field's default. Other defaults are only ours, for reading."""

REQUIRED = Publish({PUBLISHED_REQUIRED: True})
"""The API server insists on the field, though a new part made here may leave it to its default."""

NULLABLE = Publish({"nullable": True})
"""An explicit null is kept, instead of being refused."""

INT32 = Publish({"format": "int32"})
INT64 = Publish({"format": "int64"})
DOUBLE = Publish({"format": "double"})

OMIT_EMPTY = Field(exclude_if=operator.not_)
OMIT_UNSET = Field(exclude_if=lambda part: part == type(part)())
"""For a part that is always there in Python, and not written before something is set in it."""


def map_by(*keys: str) -> Publish:
    """Return the mark of a list whose entries are told apart by these fields."""
    return Publish({"x-kubernetes-list-map-keys": list(keys), "x-kubernetes-list-type": "map"})


def _whole_second(moment: datetime) -> datetime:
    """Return the moment as the API's own clients keep it; any of them would lose a finer part."""
    return moment.replace(microsecond=0) if moment.microsecond else moment


T = TypeVar("T")

Text = Annotated[str, OMIT_EMPTY]
Flag = Annotated[bool, OMIT_EMPTY]
Whole = Annotated[int, OMIT_EMPTY]
Many = Annotated[tuple[T, ...], OMIT_EMPTY]
Time = Annotated[AwareDatetime, AfterValidator(_whole_second)]
Words = Annotated[Mapping[str, str], OMIT_EMPTY]
"""Labels, or annotations."""
