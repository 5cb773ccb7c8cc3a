"""What the API server is told of a kind besides its fields: names, scope, columns, subresources.

Each kind's file has one `Definition`, so that a kind is read in one place. The client takes paths
from it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["AGE", "Column", "Definition", "Scale", "Scope"]


class Scope(StrEnum):
    """Whether objects live in a namespace."""

    NAMESPACED = "Namespaced"
    CLUSTER = "Cluster"


@dataclass(frozen=True, slots=True)
class Column:
    """What `kubectl get` shows of an object; with a priority above 0 only if asked for wide output.

    Attributes:
        name: the column's head.
        path: where the value is, as a JSON path.
        meaning: what it says.
        type: how it is shown: ``string``, ``integer``, or ``date`` for an age.
        priority: 0 is always shown.
    """

    name: str
    path: str
    meaning: str
    type: str = "string"
    priority: int = 0


AGE: Final = Column("Age", ".metadata.creationTimestamp", "Time since it was created.", "date")


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the scale of a kind is: what `kubectl scale` and autoscalers read and write."""

    wanted: str = ".spec.replicas"
    present: str = ".status.replicas"
    selector: str = ".status.labelSelector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One kind, as the API server knows it.

    Attributes:
        group: the API's.
        version: the API's.
        model: the class of its objects; its name is the kind.
        plural: what it is called in paths.
        scope: where its objects live.
        short_names: what people may type instead.
        columns: what is shown of an object; none means its age, which is the server's default.
        has_status: whether the status is written apart from the rest.
        scale: where its scale is, if it has one.
    """

    group: str
    version: str
    model: type
    plural: str
    scope: Scope = Scope.NAMESPACED
    short_names: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    has_status: bool = True
    scale: Scale | None = None

    @property
    def kind(self) -> str:
        """The kind's name."""
        return self.model.__name__

    @property
    def name(self) -> str:
        """What the definition itself is called."""
        return f"{self.plural}.{self.group}"

    def path(self, namespace: str = "") -> str:
        """Return the path of the kind's objects, in one namespace or in all."""
        inside = f"/namespaces/{namespace}" if namespace else ""
        return f"/apis/{self.group}/{self.version}{inside}/{self.plural}"
