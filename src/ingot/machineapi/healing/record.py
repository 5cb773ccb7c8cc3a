"""How far the healing of a Machine has come: one annotation of it, so that a new leader goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

__all__ = ["RECORD", "Healing", "Phase"]

RECORD: Final = "ingot.local/healing"
"""On a Machine that is being healed."""


class Phase(StrEnum):
    """Where a healing stands."""

    FENCING = "Fencing"
    """Its server is being turned off, so that nothing of it runs any more."""

    EMPTYING = "Emptying"
    """Its server is off; pods and volumes move elsewhere."""

    STARTING = "Starting"
    """Its server is turned on, and is to be a healthy node again."""

    REPLACING = "Replacing"
    """It is given up, and another Machine takes its place."""

    FAILED = "Failed"
    """Nothing helped, and it cannot be replaced: it is left on, and a person has to look at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Healing:
    """One healing.

    Attributes:
        check: the MachineHealthCheck that began it.
        why: what was wrong.
        began: when.
        phase: where it stands.
        since: since when.
        tries: how often its server has been turned off for this.
        last: whether it is replaced once its server is off.
        seen_on: since when the server was held off when it was last seen on; None if it never was.
        boot: which boot its Node told of when it began; "" where it told of none.
    """

    check: str
    why: str
    began: datetime
    phase: Phase
    since: datetime
    tries: int = 1
    last: bool = False
    seen_on: datetime | None = None
    boot: str = ""

    @classmethod
    def fresh(cls, check: str, why: str, *, boot: str, now: datetime) -> Healing:
        """Return one that begins."""
        return cls(check=check, why=why, began=now, phase=Phase.FENCING, since=now, boot=boot)

    @classmethod
    def of(cls, annotations: Mapping[str, str]) -> Healing | None:
        """Return what the annotations of a Machine say; None if it is not being healed.

        What cannot be read counts as nothing: it is then judged anew.
        """
        try:
            said = json.loads(annotations[RECORD])
            return cls(
                check=str(said["check"]),
                why=str(said["why"]),
                began=datetime.fromisoformat(said["began"]),
                phase=Phase(said["phase"]),
                since=datetime.fromisoformat(said["since"]),
                tries=int(said["tries"]),
                last=bool(said["last"]),
                seen_on=datetime.fromisoformat(said["seenOn"]) if said["seenOn"] else None,
                boot=str(said["boot"]),
            )
        except (KeyError, ValueError, TypeError):
            return None

    def text(self) -> str:
        """Return what the annotation says."""
        return json.dumps(
            {
                "check": self.check,
                "why": self.why,
                "began": _stamp(self.began),
                "phase": self.phase.value,
                "since": _stamp(self.since),
                "tries": self.tries,
                "last": self.last,
                "seenOn": _stamp(self.seen_on) if self.seen_on else "",
                "boot": self.boot,
            }
        )


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
