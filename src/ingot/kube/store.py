"""The objects of one watch, as far as it has come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from ingot.kube.changes import Change
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject

__all__ = ["Store"]

T = TypeVar("T")


class Store(Generic[T]):
    """Objects by namespace and name. What changes it says what has changed."""

    def __init__(self) -> None:
        self._namespaces: dict[str, dict[str, KubeObject[T]]] = {}

    def __len__(self) -> int:
        return sum(len(names) for names in self._namespaces.values())

    def __iter__(self) -> Iterator[KubeObject[T]]:
        for names in list(self._namespaces.values()):
            yield from list(names.values())

    def get(self, key: ObjectKey) -> KubeObject[T] | None:
        """Return an object, if it is there."""
        return self._namespaces.get(key.namespace, {}).get(key.name)

    def within(self, namespace: str) -> list[KubeObject[T]]:
        """Return the objects of a namespace."""
        return list(self._namespaces.get(namespace, {}).values())

    def put(self, found: KubeObject[T]) -> list[Change[T]]:
        """Take an object in, unless what is known is as new.

        One that was deleted and made again, unseen, is two changes: the name is all they share.
        """
        key = found.key
        known = self.get(key)
        changes = [Change(known, found)]
        if known is not None and known.metadata.uid != found.metadata.uid:
            changes = [Change(known, None), Change(None, found)]
        elif known is not None and not found.is_newer_than(known):
            return []
        self._namespaces.setdefault(key.namespace, {})[key.name] = found
        return changes

    def remove(self, gone: KubeObject[T]) -> list[Change[T]]:
        """Let an object go; what is told is its last version."""
        names = self._namespaces.get(gone.key.namespace, {})
        if names.pop(gone.key.name, None) is None:
            return []
        if not names:
            del self._namespaces[gone.key.namespace]
        return [Change(gone, None)]

    def replace(self, listed: Iterable[KubeObject[T]]) -> list[Change[T]]:
        """Become what a listing says."""
        present = {found.key: found for found in listed}
        changes: list[Change[T]] = []
        for known in self:
            if known.key not in present:
                changes.extend(self.remove(known))
        for found in present.values():
            changes.extend(self.put(found))
        return changes
