"""A kind of object: how its paths are made, and how one of its objects is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

import msgspec
from pydantic import TypeAdapter, ValidationError

from ingot.errors import IngotError

__all__ = ["Content", "Kind", "ObjectKey", "Unreadable"]

T = TypeVar("T")

Content: TypeAlias = dict[str, Any]
"""An object as JSON data. What is in it is only known to who asked for it."""


class Unreadable(IngotError):  # noqa: N818 - it says what was seen
    """An object does not fit the model of its kind."""


class ObjectKey(NamedTuple):
    """What an object of a known kind is called; the namespace is empty where the kind has none."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


def as_content(raw: bytes) -> Content:
    """Read an object without a model."""
    content: Content = msgspec.json.decode(raw)
    return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T]):
    """What to know of a kind to talk about it.

    Attributes:
        group: the API group; empty for the oldest kinds.
        version: the version that is spoken, such as `v1alpha1`.
        kind: the name of one, such as `BareMetalHost`.
        plural: the name of many, as paths have it.
        namespaced: whether its objects live in a namespace.
        read: turns the JSON of an object into what `KubeObject.model` returns.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    read: Callable[[bytes], T] = field(repr=False)

    @classmethod
    def untyped(
        cls, group: str, version: str, kind: str, plural: str, *, namespaced: bool = True
    ) -> Kind[Content]:
        """Return a kind whose objects are read as plain JSON data."""
        return Kind(
            group=group,
            version=version,
            kind=kind,
            plural=plural,
            namespaced=namespaced,
            read=as_content,
        )

    @classmethod
    def of_model(
        cls,
        model: type[T],
        *,
        group: str,
        version: str,
        plural: str,
        kind: str = "",
        namespaced: bool = True,
    ) -> Self:
        """Return a kind whose objects are read by a pydantic model or dataclass."""
        adapter: list[TypeAdapter[T]] = []  # Made when first needed: compiling it takes a while.

        def read(raw: bytes) -> T:
            if not adapter:
                adapter.append(TypeAdapter(model))
            try:
                return adapter[0].validate_json(raw)
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                where = ".".join(str(step) for step in first["loc"])
                raise Unreadable(
                    f"an object of kind {kind or model.__name__} cannot be read:"
                    f" {where}: {first['msg']}",
                    remedy="correct the field, or install the definitions of this release",
                ) from error

        return cls(
            group=group,
            version=version,
            kind=kind or model.__name__,
            plural=plural,
            namespaced=namespaced,
            read=read,
        )

    @property
    def api_version(self) -> str:
        """What an object's `apiVersion` says."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Return a path: of all objects, of those of a namespace, or of one."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        inside = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        below = "".join(f"/{part}" for part in (name, subresource) if part)
        return f"{root}{inside}/{self.plural}{below}"

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural
