"""The credentials of a host's BMC, from its Secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.host import observation
from ingot.metal3.node import subject
from ingot.metal3.operator.parts import owned_by
from ingot.metal3.operator.secrets import Secret, Secrets

__all__ = ["Credentials", "credentials_in", "credentials_of"]

_WANTED: Final = ("username", "password")


@dataclass(frozen=True, slots=True)
class Credentials:
    """What was seen of them, and they themselves where they can be used."""

    seen: observation.Credentials
    usable: subject.Credentials | None = None


async def credentials_of(
    secrets: Secrets, host: KubeObject[BareMetalHost], model: BareMetalHost
) -> Credentials:
    """Return a host's credentials; the Secret is held for as long as the host is there.

    Raises:
        ApiError: the Secret could not be read.
    """
    name = model.spec.bmc.credentials_name if model.spec.bmc else ""
    if not name:
        return Credentials(observation.CredentialsMissing())
    holder = None if model.metadata.is_going else owned_by(host)
    return credentials_in(
        await secrets.get(ObjectKey(model.metadata.namespace, name), holder=holder)
    )


def credentials_in(secret: Secret | None) -> Credentials:
    """Return what a Secret holds."""
    if secret is None:
        return Credentials(observation.CredentialsMissing())
    found = {name: secret.text(name) for name in _WANTED}
    wrong = [_mistake(secret, name) for name in _WANTED if not found[name]]
    if wrong:
        return Credentials(observation.CredentialsUnusable("; ".join(wrong)))
    usable = subject.Credentials(found["username"] or "", found["password"] or "")
    return Credentials(observation.CredentialsGood(secret.version), usable)


def _mistake(secret: Secret, name: str) -> str:
    if name not in secret.data:
        return f"`{name}` is missing"
    return f"`{name}` is empty" if not secret.data[name] else f"`{name}` is no UTF-8 text"
