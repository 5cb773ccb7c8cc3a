"""JSON as it comes from Ironic, and the few ways in which it is read.

Answers are read by hand into frozen dataclasses: docs/decisions/0012-ironic-client.md has the
measurement. A document that is not what it should be raises KeyError or TypeError here, which the
transport turns into an error for a person.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias, cast

__all__ = ["Json", "JsonObject", "decoded", "flag", "members", "table", "text", "text_or_none"]

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]


def decoded(content: bytes) -> Json:
    """Return what a body says; an empty one says nothing.

    Raises:
        ValueError: it is no JSON.
    """
    return cast("Json", json.loads(content)) if content else None


def text(document: JsonObject, key: str) -> str:
    """Return a text that is always there."""
    value = document[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return value


def text_or_none(document: JsonObject, key: str) -> str | None:
    """Return a text that may be missing or null."""
    value = document.get(key)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return value


def flag(document: JsonObject, key: str) -> bool:
    """Return a truth value; missing and null are false."""
    return bool(document.get(key))


def table(document: JsonObject, key: str) -> dict[str, Json]:
    """Return an object; missing and null are empty."""
    value = document.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"{key} is no object")
    return value


def members(document: Json, key: str) -> list[JsonObject]:
    """Return the objects in a list of an answer."""
    if not isinstance(document, dict):
        raise TypeError("the answer is no object")
    found = document[key]
    if not isinstance(found, list):
        raise TypeError(f"{key} is no list")
    for member in found:
        if not isinstance(member, dict):
            raise TypeError(f"{key} has a member that is no object")
    return cast("list[JsonObject]", found)
