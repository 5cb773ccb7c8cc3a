"""Who asked for a config and who was refused, kept in `ingot-infra/node-<name>-config`.

A server that never becomes a node says nothing of itself. What it did or did not do at the config
server is all that is known of it from afar, so it is kept where whoever waits for it can read it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, Final

from ingot.configserver.report import NAMESPACE
from ingot.kube.kind import Content, ObjectKey

__all__ = ["CLOCK", "WRONG_PATH", "WRONG_TOKEN", "Visits", "visits_key"]

CLOCK: Final = "clock"
"""The phase of a report that is about the node's clock."""

WRONG_TOKEN: Final = "with a wrong token"  # noqa: S105 - what is said of one
WRONG_PATH: Final = "for another role's config"
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Visits:
    """What one host did here.

    Attributes:
        host: its name.
        granted_at: when it last got its config, as ISO 8601; empty for never.
        granted_to: the address that it got it at.
        refusals: how often it was refused since.
        refused_since: when the first time, likewise.
        refused_at: when the last time.
        refused_from: the address that asked then.
        refused_why: in words that go on from "asked".
        clock: what it said last of its clock, where that was off.
    """

    host: str
    granted_at: str = ""
    granted_to: str = ""
    refusals: int = 0
    refused_since: str = ""
    refused_at: str = ""
    refused_from: str = ""
    refused_why: str = ""
    clock: str = ""

    def after_grant(self, peer: str, *, now: datetime) -> Visits:
        """Return it once the host has its config; earlier refusals do not matter any more."""
        return Visits(host=self.host, granted_at=_at(now), granted_to=peer, clock=self.clock)

    def after_refusal(self, peer: str, why: str, *, now: datetime) -> Visits:
        """Return it once the host, or somebody in its name, was refused."""
        return replace(
            self,
            refusals=self.refusals + 1,
            refused_since=self.refused_since or _at(now),
            refused_at=_at(now),
            refused_from=peer,
            refused_why=why,
        )

    def after_clock(self, message: str) -> Visits:
        """Return it once the host has told of its clock."""
        return replace(self, clock=message[:_SHOWN])

    def manifest(self) -> Content:
        """Return the ConfigMap that keeps it: `status` holds JSON, as that of a report does."""
        key = visits_key(self.host)
        return {
            "metadata": {"name": key.name, "namespace": key.namespace},
            "data": {"status": json.dumps({_word(k): v for k, v in asdict(self).items()})},
        }

    @classmethod
    def parse(cls, host: str, content: Content) -> Visits:
        """Return what a ConfigMap keeps; nothing of what cannot be read."""
        try:
            said: dict[str, Any] = json.loads(content["data"]["status"])
            known = {
                one.name: said[_word(one.name)] for one in fields(cls) if _word(one.name) in said
            }
        except (ValueError, KeyError, TypeError):
            known = {}
        texts = {name: str(value) for name, value in known.items() if name != "refusals"}
        count = known.get("refusals", 0)
        return cls(
            **{**texts, "host": host},
            refusals=count if isinstance(count, int) else 0,
        )


def visits_key(host: str) -> ObjectKey:
    """Return where it is kept what a host did here."""
    return ObjectKey(NAMESPACE, f"node-{host}-config")


def _at(now: datetime) -> str:
    return now.isoformat(timespec="seconds")


def _word(name: str) -> str:
    """Return a field's name as JSON has it."""
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))
