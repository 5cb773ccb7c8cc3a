"""A change of an object, which changes count, and whose reconcile it calls for.

A filter looks at updates only: that an object came or went always counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from ingot.kube.kind import Kind, ObjectKey
from ingot.kube.object import KubeObject, Metadata

__all__ = [
    "Change",
    "Filter",
    "Mapper",
    "annotations_changed",
    "any_of",
    "every_change",
    "finalizers_changed",
    "generation_changed",
    "itself",
    "labels_changed",
    "owners",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """An object before and after; None where it was not there. Not both are None."""

    old: KubeObject[T] | None
    new: KubeObject[T] | None

    @property
    def object(self) -> KubeObject[T]:
        """The object as it is, or as it was last."""
        found = self.new or self.old
        assert found is not None  # noqa: S101 - what the class promises
        return found


Filter: TypeAlias = Callable[[Change[Any]], bool]
Mapper: TypeAlias = Callable[[KubeObject[Any]], Iterable[ObjectKey]]


def every_change(_change: Change[Any]) -> bool:
    """Let everything count."""
    return True


def _differing(part: Callable[[Metadata], object]) -> Filter:
    def differs(change: Change[Any]) -> bool:
        old, new = change.old, change.new
        return old is None or new is None or part(old.metadata) != part(new.metadata)

    return differs


generation_changed = _differing(lambda metadata: metadata.generation)
"""The wish has changed, not only the status; being asked to go changes it too."""

annotations_changed = _differing(lambda metadata: metadata.annotations)
labels_changed = _differing(lambda metadata: metadata.labels)
finalizers_changed = _differing(lambda metadata: metadata.finalizers)


def any_of(*filters: Filter) -> Filter:
    """Let count what one of them lets count."""

    def counts(change: Change[Any]) -> bool:
        return any(one(change) for one in filters)

    return counts


def itself(subject: KubeObject[Any]) -> Iterable[ObjectKey]:
    """Call for the object's own reconcile."""
    return (subject.key,)


def owners(kind: Kind[Any], *, only_controller: bool = False) -> Mapper:
    """Call for the reconcile of the owners of a kind.

    Args:
        kind: of which kind; its version does not count, as owners outlive versions.
        only_controller: only of the one owner that is marked as controlling.
    """

    def owners_of(subject: KubeObject[Any]) -> Iterable[ObjectKey]:
        namespace = subject.metadata.namespace if kind.namespaced else ""
        return [
            ObjectKey(namespace, owner.name)
            for owner in subject.metadata.owner_references
            if owner.kind == kind.kind
            and owner.api_version.rpartition("/")[0] == kind.group
            and (owner.controller or not only_controller)
        ]

    return owners_of
