"""Which requests nobody has decided about, kept as the watch tells of them.

Whoever may join may also ask, and as often as they like. So a request must cost nothing when
another is looked at: of each only the time is kept, and what it asks for is never read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ingot.kube.changes import Change
from ingot.kube.kind import Content, ObjectKey
from ingot.machineapi.approving.judging import SIGNERS
from ingot.machineapi.approving.request import is_pending, signer_of
from ingot.machineapi.seeing import moment

__all__ = ["Pending"]


class Pending:
    """When each of them was made."""

    def __init__(self) -> None:
        self._made: dict[ObjectKey, datetime | None] = {}

    def __iter__(self) -> Iterator[datetime | None]:
        return iter(self._made.values())

    def heard(self, change: Change[Content]) -> None:
        """Take in what has happened to a request."""
        new = change.new
        if new is not None and signer_of(new) in SIGNERS and is_pending(new):
            self._made[new.key] = moment(new.metadata.creation_timestamp)
        else:
            self._made.pop(change.object.key, None)
