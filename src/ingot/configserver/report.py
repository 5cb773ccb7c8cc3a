"""What a node tells of its joining, and where it is kept: `ingot-infra/node-<name>-join`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ingot.errors import IngotError
from ingot.kube.kind import Content, Kind, ObjectKey

__all__ = ["CONFIG_MAPS", "NAMESPACE", "Report", "ReportError", "key_of"]

NAMESPACE: Final = "ingot-infra"
CONFIG_MAPS: Final = Kind.untyped("", "v1", "ConfigMap", "configmaps")
PHASE_CHARACTERS: Final = 64
MESSAGE_CHARACTERS: Final = 2048


class ReportError(IngotError):
    """What came is no report."""


@dataclass(frozen=True, slots=True)
class Report:
    """Where a node's joining stands.

    Attributes:
        phase: what it does, in a word or two.
        message: a sentence.
        failed: whether that went wrong; it tries again by itself.
    """

    phase: str
    message: str
    failed: bool

    @classmethod
    def parse(cls, content: bytes) -> Report:
        """Return what a node has sent.

        Raises:
            ReportError: it is none.
        """
        try:
            found = json.loads(content)
            phase, message, failed = (found[key] for key in ("phase", "message", "failed"))
        except (ValueError, KeyError, TypeError) as error:
            raise ReportError('send {"phase": "…", "message": "…", "failed": false}') from error
        if not (isinstance(phase, str) and isinstance(message, str) and isinstance(failed, bool)):
            raise ReportError("`phase` and `message` are texts, `failed` is true or false")
        return cls(_line(phase)[:PHASE_CHARACTERS], _line(message)[:MESSAGE_CHARACTERS], failed)

    def text(self) -> str:
        """Return it as a node sends it."""
        return json.dumps({"phase": self.phase, "message": self.message, "failed": self.failed})

    def manifest(self, host: str, *, now: datetime) -> Content:
        """Return the ConfigMap that keeps it: `status` holds JSON, as the bootstrap's own does."""
        said = {
            "name": host,
            "phase": self.phase,
            "message": self.message,
            "failed": self.failed,
            "at": now.isoformat(timespec="seconds"),
        }
        key = key_of(host)
        return {
            "metadata": {"name": key.name, "namespace": key.namespace},
            "data": {"status": json.dumps(said)},
        }


def key_of(host: str) -> ObjectKey:
    """Return where a host's last report is."""
    return ObjectKey(NAMESPACE, f"node-{host}-join")


def _line(text: str) -> str:
    """Return a text without what would make other lines of a log or a terminal."""
    return "".join(one if one.isprintable() else " " for one in text).strip()
