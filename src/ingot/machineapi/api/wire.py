"""How a part of an object is declared: its naming on the wire, and the marks a field may carry."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

__all__ = [
    "ATOMIC",
    "GROUP",
    "INT32",
    "INT64",
    "OMIT_EMPTY",
    "OMIT_UNSET",
    "STORED_DEFAULT",
    "VERSION",
    "WIRE",
    "Many",
    "Publish",
    "Text",
    "Time",
    "Words",
    "map_by",
]

GROUP: Final = "machine.openshift.io"
VERSION: Final = "v1beta1"

WIRE = ConfigDict(
    alias_generator=to_camel,
    # Nothing is compiled before it is first read: a command that only imports pays little.
    defer_build=True,
    validate_by_alias=True,
    validate_by_name=True,
)
"""How every part is read. Unknown fields are passed over."""

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


STORED_DEFAULT = Publish({"x-ingot-default": True})
"""The API server fills in this field's default. Other defaults are only ours, for reading."""

INT32 = Publish({"format": "int32"})
INT64 = Publish({"format": "int64"})

OMIT_EMPTY = Field(exclude_if=operator.not_)
OMIT_UNSET = Field(exclude_if=lambda part: part == type(part)())
"""For a part that is always there in Python, and not written before something is set in it."""


def map_by(*keys: str) -> Publish:
    """Return the mark of a list whose entries are told apart by these fields."""
    return Publish({"x-kubernetes-list-map-keys": list(keys), "x-kubernetes-list-type": "map"})


def _whole_second(moment: datetime) -> datetime:
    """Return the moment as the API's own clients keep it."""
    return moment.replace(microsecond=0) if moment.microsecond else moment


T = TypeVar("T")

Text = Annotated[str, OMIT_EMPTY]
Many = Annotated[tuple[T, ...], OMIT_EMPTY]
Words = Annotated[Mapping[str, str], OMIT_EMPTY]
"""Labels, or annotations."""

Time = Annotated[AwareDatetime, AfterValidator(_whole_second)]
