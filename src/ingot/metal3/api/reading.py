"""Objects between JSON and the models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ingot.errors import IngotError

__all__ = ["UnreadableObject", "read", "read_stored", "read_text", "written"]

T = TypeVar("T")

SHOWN = 3
"""Mistakes that one message names; a wrong object is often wrong in one way many times."""

UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
"""What pydantic calls a field too many; its words are about Python."""


class UnreadableObject(IngotError):  # noqa: N818 - it names what was seen
    """An object does not fit its model.

    The API server checks what it stores, so this is one that was stored before its definition was
    last changed, or text from an annotation.

    Attributes:
        fields: what is wrong, by the field's path.
    """

    def __init__(self, what: str, error: ValidationError) -> None:
        self.fields = {
            _path(one["loc"]): "no such field" if one["type"] in UNKNOWN else one["msg"]
            for one in error.errors(include_url=False, include_input=False)
        }
        named = [f"{path}: {message}" for path, message in list(self.fields.items())[:SHOWN]]
        more = len(self.fields) - len(named)
        super().__init__(
            f"{what} cannot be read: {'; '.join(named)}{f'; and {more} more' if more > 0 else ''}",
            remedy="correct these fields, or apply the definitions of this release again",
        )


def read(model: type[T], raw: Mapping[str, Any]) -> T:
    """Return an object, or a part of one, as its model has it.

    Raises:
        UnreadableObject: a field that the model knows has a value that it cannot have.
    """
    try:
        return _adapter(model).validate_python(raw, by_alias=True, by_name=False)
    except ValidationError as error:
        raise UnreadableObject(_name(model, raw), error) from error


def read_stored(model: type[T], raw: bytes) -> T:
    """Return an object from the JSON that the API server sent.

    Raises:
        UnreadableObject: as `read` does.
    """
    try:
        return _adapter(model).validate_json(raw, by_alias=True, by_name=False)
    except ValidationError as error:
        raise UnreadableObject(model.__name__, error) from error


def read_text(model: type[T], text: str | bytes) -> T:
    """Return a part from JSON that a person wrote; unlike in a stored object, unknown fields count.

    Raises:
        UnreadableObject: it is no JSON, has a field that the model does not, or a wrong value.
    """
    try:
        return _adapter(model).validate_json(text, extra="forbid", by_alias=True, by_name=False)
    except ValidationError as error:
        raise UnreadableObject(_name(model, {}), error) from error


def written(part: object) -> dict[str, Any]:
    """Return an object or a part of one as JSON data, without what is empty."""
    data: dict[str, Any] = _adapter(type(part)).dump_python(
        part, mode="json", by_alias=True, exclude_none=True
    )
    return data


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def _adapter(model: type[T]) -> TypeAdapter[T]:
    adapter = _ADAPTERS.get(model)
    if adapter is None:
        adapter = _ADAPTERS[model] = TypeAdapter(model)
    return adapter


def _name(model: type, raw: Mapping[str, Any]) -> str:
    metadata = raw.get("metadata")
    if not isinstance(metadata, Mapping):
        return model.__name__
    namespace, name = metadata.get("namespace"), metadata.get("name")
    return f"{model.__name__} {namespace}/{name}" if namespace else f"{model.__name__} {name}"


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.removeprefix(".") or "the whole"
