"""What the API server is told of a kind besides its fields: names, columns, subresources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingot.machineapi.api.wire import GROUP

__all__ = ["AGE", "Column", "Definition", "Scale"]


@dataclass(frozen=True, slots=True)
class Column:
    """What `kubectl get` shows of an object; with a priority above 0 only in wide output.

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
        model: the class of its objects; its name is the kind.
        plural: what it is called in paths.
        short_names: what people may type instead.
        columns: what is shown of an object.
        scale: where its scale is, if it has one.
    """

    model: type
    plural: str
    short_names: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    scale: Scale | None = None

    @property
    def kind(self) -> str:
        """The kind's name."""
        return self.model.__name__

    @property
    def name(self) -> str:
        """What the definition itself is called."""
        return f"{self.plural}.{GROUP}"
