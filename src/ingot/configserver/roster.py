"""Who may ask for a config: the hosts, each known by the digest of its token.

Tokens themselves are only on the hosts' config drives. A token that is asked with is compared with
every host's, each in constant time, so that an answer's delay tells nothing of how near it came.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from ingot.configserver.role import Role
from ingot.errors import IngotError

__all__ = ["Host", "Roster", "RosterError", "digest", "parse"]

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)


class RosterError(IngotError):
    """The list of hosts cannot be used.

    Attributes:
        mistakes: each with its place.
    """

    def __init__(self, source: str, mistakes: list[str]) -> None:
        super().__init__(
            f"{source}: {'; '.join(mistakes)}",
            remedy="write it as docs/reference/config-server.md says",
        )
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True)
class Host:
    """One who may ask.

    Attributes:
        name: also that of its node.
        role: what it is to become.
        token_sha256: the digest of its token, in hex.
    """

    name: str
    role: Role
    token_sha256: str


@dataclass(frozen=True, slots=True)
class Roster:
    """All who may ask."""

    hosts: tuple[Host, ...] = ()

    def bearer(self, token: str) -> Host | None:
        """Return the host whose token it is; every host is looked at, whether found or not."""
        asked = digest(token)
        found = None
        for host in self.hosts:
            if hmac.compare_digest(host.token_sha256, asked):
                found = host
        return found if token else None

    def knows(self, name: str) -> bool:
        """Return whether there is a host of this name."""
        return any(host.name == name for host in self.hosts)


def digest(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def parse(text: str, *, source: str) -> Roster:
    """Return what `hosts.json` says.

    Raises:
        RosterError: naming all that is wrong.
    """
    try:
        listed = json.loads(text)["hosts"]
    except (ValueError, KeyError, TypeError) as error:
        raise RosterError(source, ['is not JSON of the form {"hosts": […]}']) from error
    if not isinstance(listed, list):
        raise RosterError(source, ["`hosts` is no list"])
    mistakes: list[str] = []
    hosts = tuple(filter(None, (_host(one, at, mistakes) for at, one in enumerate(listed))))
    for what, values in (
        ("name", Counter(host.name for host in hosts)),
        ("token", Counter(host.token_sha256 for host in hosts)),
    ):
        mistakes += [
            f"{count} hosts have the same {what}" + (f" {value}" if what == "name" else "")
            for value, count in values.items()
            if count > 1
        ]
    if mistakes:
        raise RosterError(source, mistakes)
    return Roster(hosts)


def _host(entry: Any, at: int, mistakes: list[str]) -> Host | None:  # noqa: ANN401 - JSON, before it is looked at
    facts = entry if isinstance(entry, dict) else {}
    name, role, kept = (str(facts.get(key, "")) for key in ("name", "role", "tokenSha256"))
    known = Role.of(role)
    before = len(mistakes)
    if not _NAME.fullmatch(name):
        mistakes.append(f"hosts[{at}].name {name!r} is no name of a node")
    if known is None:
        mistakes.append(f"hosts[{at}].role {role!r} is none of control-plane, worker")
    if not _DIGEST.fullmatch(kept):
        mistakes.append(f"hosts[{at}].tokenSha256 is not 64 digits of hex")
    return Host(name, known, kept) if known and len(mistakes) == before else None
