"""An object as it came: its JSON, and of that only the metadata read.

A thousand hosts are kept at all times, and a handful of them are looked into at once. As JSON a
host takes about 5 kB, as Python data ten times that. So the text is kept, and read when asked for.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from ingot.kube.kind import Content, Kind, ObjectKey, as_content

__all__ = ["KubeObject", "Metadata", "OwnerReference"]

T = TypeVar("T")


class OwnerReference(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """An object that this one goes with."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool = False


class Metadata(msgspec.Struct, frozen=True, rename="camel"):
    """What every object has. `managedFields`, which may outweigh all else, is passed over."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()

    @property
    def is_going(self) -> bool:
        """Whether the object is being deleted."""
        return self.deletion_timestamp is not None


class _Header(msgspec.Struct, frozen=True):
    metadata: Metadata = Metadata()


class KubeObject(Generic[T]):
    """One version of an object. It never changes; a change is another KubeObject.

    Attributes:
        kind: what it is.
        raw: its JSON, as the server sent it.
        metadata: read once.
    """

    __slots__ = ("kind", "metadata", "raw")

    def __init__(self, kind: Kind[T], raw: bytes) -> None:
        self.kind = kind
        self.raw = raw
        self.metadata = msgspec.json.decode(raw, type=_Header).metadata

    @property
    def key(self) -> ObjectKey:
        """What it is called."""
        return ObjectKey(self.metadata.namespace, self.metadata.name)

    @property
    def model(self) -> T:
        """The object read by the model of its kind; read anew at each call.

        Raises:
            IngotError: it does not fit; what is raised is the kind's reader's to say.
        """
        return self.kind.read(self.raw)

    @property
    def content(self) -> Content:
        """The object as JSON data, which the caller may change."""
        return as_content(self.raw)

    def is_newer_than(self, other: KubeObject[T]) -> bool:
        """Tell whether it is a later version than another of the same object.

        Resource versions are decimal numbers that grow; the API says so since Kubernetes 1.35.
        """
        return int(self.metadata.resource_version) > int(other.metadata.resource_version)

    def __repr__(self) -> str:
        version = self.metadata.resource_version
        return f"<{self.kind.kind} {self.key} version {version}>"
