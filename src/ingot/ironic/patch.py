"""The smallest JSON patch from what a node has to what it should have. Pure.

A wish names only what it cares about: fields that it does not mention stay, and so do keys within
a field such as `driver_info`, into which Ironic and its drivers write as well. Comparing goes down
to those keys and no further: a root device hint is replaced as a whole.

Ironic shows secrets as six asterisks. A masked value is neither equal nor different, so it is
written only when the caller knows that the secrets have changed; otherwise every pass would write
every password, and wake every BMC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final, TypeAlias

from ingot.ironic.document import Json, JsonObject

__all__ = ["MASK", "REMOVED", "Operation", "Removed", "Wish", "difference"]

MASK: Final = "******"
Operation: TypeAlias = dict[str, Json]


class Removed(Enum):
    """The type of REMOVED alone."""

    REMOVED = "removed"


REMOVED: Final = Removed.REMOVED
"""Stands for a value that should not be there; a field then has Ironic's own default again."""

Wish: TypeAlias = Mapping[str, "Json | Removed | Mapping[str, Json | Removed]"]

PATH_PART: Final = re.compile(r"[\w-]+")
NOTHING: Final = object()
EMPTY: Final[tuple[Json, ...]] = (None, "", {}, [])
"""What a field has that was never set; removing it would be a write for nothing."""


def difference(
    seen: JsonObject, wanted: Wish, *, secrets_changed: bool = False
) -> tuple[Operation, ...]:
    """Return what has to be done to a node, nothing when it is as it should be.

    Args:
        seen: the node's fields as Ironic shows them.
        wanted: the fields that matter. For a field that is an object, the keys that matter.
        secrets_changed: whether masked values are to be written too.
    """
    operations: list[Operation] = []
    for name, value in wanted.items():
        path = f"/{_part(name)}"
        before = seen.get(name)
        if value is REMOVED:
            if before not in EMPTY:
                operations.append({"op": "remove", "path": path})
        elif isinstance(value, Mapping) and isinstance(before, Mapping):
            operations.extend(_within(path, before, value, secrets_changed=secrets_changed))
        elif isinstance(value, Mapping):
            # Never set, so there is no object yet to put single keys into.
            whole = {key: held for key, held in value.items() if held is not REMOVED}
            if whole:
                operations.append({"op": "add", "path": path, "value": whole})
        elif not _same(before, value):
            operations.append({"op": "replace", "path": path, "value": value})
    return tuple(operations)


def _within(
    path: str, seen: JsonObject, wanted: Mapping[str, Json | Removed], *, secrets_changed: bool
) -> Iterator[Operation]:
    for key, value in wanted.items():
        at = f"{path}/{_part(key)}"
        before = seen.get(key, NOTHING)
        if value is REMOVED:
            if before is not NOTHING:
                yield {"op": "remove", "path": at}
        elif before is NOTHING:
            yield {"op": "add", "path": at, "value": value}
        elif secrets_changed if before == MASK else not _same(before, value):
            yield {"op": "replace", "path": at, "value": value}


def _same(one: object, other: object) -> bool:
    """Whether two values are equal in JSON, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def _part(key: str) -> str:
    """Return a key as a part of a path.

    Ironic takes no path with other signs in it, not even escaped as RFC 6901 has it. All keys are
    names of ours or of Ironic's, so another one is a mistake in the code.

    Raises:
        ValueError: it is such a key.
    """
    if not PATH_PART.fullmatch(key):
        raise ValueError(f"{key!r} cannot be named in a patch of Ironic's")
    return key
