"""Bootstrap tokens: what a node proves itself with until it has a certificate of its own.

A token is a Secret in `kube-system`; Kubernetes' own token cleaner removes it when it has expired.
It is made for one host, holds for an hour, and allows to join and nothing else.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from ingot.kube.joiners import JOINERS, group_of
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject

__all__ = ["HOST_LABEL", "LIFETIME", "NAMESPACE", "SECRETS", "Token", "stale"]

NAMESPACE: Final = "kube-system"
SECRETS: Final = Kind.untyped("", "v1", "Secret", "secrets")
LIFETIME: Final = timedelta(hours=1)

HOST_LABEL: Final = "ingot.local/config-host"
"""Marks the tokens that the config server made, each with its host's name."""

_ALPHABET: Final = string.ascii_lowercase + string.digits
_LABEL_LENGTH: Final = 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token.

    Attributes:
        host: whom it is for.
        expires: until when it holds.
        number: its public part.
        secret: its secret part.
    """

    host: str
    expires: datetime
    number: str
    secret: str = field(repr=False)

    @classmethod
    def fresh(cls, host: str, *, now: datetime, lifetime: timedelta = LIFETIME) -> Token:
        """Return one that nobody can guess."""
        return cls(
            host=host,
            expires=(now + lifetime).replace(microsecond=0),
            number="".join(secrets.choice(_ALPHABET) for _ in range(6)),
            secret="".join(secrets.choice(_ALPHABET) for _ in range(16)),
        )

    @property
    def key(self) -> ObjectKey:
        """What its Secret is called; its name has to be this."""
        return ObjectKey(NAMESPACE, f"bootstrap-token-{self.number}")

    def spelled(self) -> str:
        """Return it as kubeadm takes it."""
        return f"{self.number}.{self.secret}"

    def manifest(self) -> Content:
        """Return its Secret."""
        said = {
            "token-id": self.number,
            "token-secret": self.secret,
            "expiration": self.expires.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "usage-bootstrap-authentication": "true",
            "auth-extra-groups": f"{JOINERS},{group_of(self.host)}",
            "description": f"for {self.host} to join, by Ingot's config server",
        }
        return {
            "metadata": {
                "name": self.key.name,
                "namespace": NAMESPACE,
                "labels": {HOST_LABEL: label_of(self.host)},
            },
            "type": "bootstrap.kubernetes.io/token",
            "stringData": said,
        }


def label_of(host: str) -> str:
    """Return a host's name as a label may have it: a name may be longer."""
    return host[:_LABEL_LENGTH].rstrip("-.")


def stale(
    own: KubeObject[Content], found: Iterable[KubeObject[Content]]
) -> list[KubeObject[Content]]:
    """Return those of a host's tokens that another has replaced: all that were stored before it.

    By the order of the store and not by a clock: of those who answer the same host at once, the one
    who came last finds all others, and nobody takes away what came after.
    """
    return [one for one in found if _place(one) < _place(own)]


def _place(found: KubeObject[Content]) -> int:
    return int(found.metadata.resource_version)
