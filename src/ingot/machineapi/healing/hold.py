"""The annotation by which a host is held off, and what it says besides.

It says for which Machine, so that the host is let go also when that Machine is no longer there to
tell; and since when, so that what was seen before it was put there never counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ingot.kube.kind import ObjectKey

__all__ = ["HOLD", "Hold"]

HOLD: Final = "reboot.metal3.io/ingot-healing"
"""On a host: it is held off for as long as this is there."""


@dataclass(frozen=True, slots=True)
class Hold:
    """One of ours.

    Attributes:
        machine: for whom.
        at: since when.
    """

    machine: ObjectKey
    at: datetime

    @classmethod
    def of(cls, annotations: Mapping[str, str]) -> Hold | None:
        """Return what the annotations of a host say; None if it is not held by us."""
        try:
            said = json.loads(annotations[HOLD])
            namespace, _, name = str(said["machine"]).partition("/")
            return cls(ObjectKey(namespace, name), datetime.fromisoformat(said["at"]))
        except (KeyError, ValueError, TypeError):
            return None

    def text(self) -> str:
        """Return what the annotation says; the mode is for the host operator."""
        at = self.at.isoformat(timespec="milliseconds")
        return json.dumps({"mode": "hard", "machine": str(self.machine), "at": at})
