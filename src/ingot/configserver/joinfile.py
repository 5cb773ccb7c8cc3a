"""`/etc/ingot/join.json`: what a node has to know to join, written here and read by the node."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, Final

from ingot.configserver.role import Role
from ingot.errors import IngotError

__all__ = ["PATH", "JoinFacts", "JoinFileError", "Source"]

PATH: Final = "/etc/ingot/join.json"


class JoinFileError(IngotError):
    """The file does not say what a node has to know."""

    def __init__(self, source: str, what: str) -> None:
        super().__init__(
            f"{source}: {what}",
            remedy="fetch the node's config from the config server again; "
            "docs/reference/config-server.md has the keys",
        )


@dataclass(frozen=True, slots=True)
class Source:
    """Where the node's config came from, so that a fresh one can be had.

    Attributes:
        url: of the config.
        token: the host's own; a secret.
        authority: who signed the server's certificate, as PEM.
    """

    url: str
    token: str = field(repr=False)
    authority: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFacts:
    """All of it.

    Attributes:
        name: the node's.
        role: what it becomes.
        api_server: the address of the API, with the VIP.
        token: the bootstrap token; a secret, and short-lived.
        expires: until when the token holds, if known.
        ca_certificate: the cluster's authority, as PEM.
        vips: all of the cluster.
        source: where it came from, if it can be asked again.
    """

    name: str
    role: Role
    api_server: str
    token: str = field(repr=False)
    expires: datetime | None = None
    ca_certificate: str
    vips: tuple[IPv4Address | IPv6Address, ...]
    source: Source | None = None

    def text(self) -> str:
        """Return what the file says."""
        facts: dict[str, Any] = {
            "name": self.name,
            "role": self.role.value,
            "apiServer": self.api_server,
            "token": self.token,
            "caCertificate": self.ca_certificate,
            "vips": [str(vip) for vip in self.vips],
        }
        if self.expires:
            facts["expires"] = self.expires.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self.source:
            facts["configUrl"] = self.source.url
            facts["configToken"] = self.source.token
            facts["configCa"] = self.source.authority
        return json.dumps(facts, indent=2) + "\n"

    @classmethod
    def parse(cls, text: str, *, source: str = PATH) -> JoinFacts:
        """Return what a file says.

        Raises:
            JoinFileError: something is missing or wrong.
        """
        try:
            return _parsed(json.loads(text))
        except KeyError as error:
            raise JoinFileError(source, f"{error.args[0]} is missing") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise JoinFileError(source, str(error)) from error


def _parsed(facts: dict[str, Any]) -> JoinFacts:
    role = Role.of(str(facts["role"]))
    if role is None:
        raise ValueError(f"role {facts['role']!r} is none of control-plane, worker")
    again = [facts.get(key) for key in ("configUrl", "configToken", "configCa")]
    expires = facts.get("expires")
    return JoinFacts(
        name=str(facts["name"]),
        role=role,
        api_server=str(facts["apiServer"]),
        token=str(facts["token"]),
        expires=datetime.fromisoformat(expires) if expires else None,
        ca_certificate=str(facts["caCertificate"]),
        vips=tuple(ip_address(vip) for vip in facts["vips"]),
        source=Source(*map(str, again)) if all(again) else None,
    )
