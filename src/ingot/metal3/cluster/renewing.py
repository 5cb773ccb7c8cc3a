"""Certificates of the cluster's own servers, renewed in time.

Each is signed by the authority that its clients know, for the same names: the config server's by
the one that hosts' pointer configs name, that of applications by the cluster's ingress authority.
One that somebody else has signed was put there by a person, and is left alone.
"""

from __future__ import annotations

import hashlib
import logging
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ingot.kube.client import KubeClient
from ingot.kube.controller import Controller, Result
from ingot.kube.errors import NotFound
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.cluster.credentials import renewal
from ingot.metal3.cluster.names import (
    CONFIG_SERVER,
    CONFIG_SERVER_CA,
    DAEMON_SETS,
    INGRESS,
    INGRESS_CA,
    SECRETS,
)
from ingot.pki.authority import Authority
from ingot.pki.credential import Credential
from ingot.pki.term import LEAF_LIFETIME, Term

__all__ = ["ANNOTATION", "SERVERS", "RenewalRoom", "Server", "certificate_annotation"]

log = logging.getLogger(__name__)

ANNOTATION: Final = "ingot.local/certificate"
LOOK_SECONDS: Final = 6 * 3600.0


def _utc() -> datetime:
    return datetime.now(UTC)


def certificate_annotation(certificate: bytes) -> dict[str, str]:
    """Return what has pods replaced when their certificate is another one."""
    return {ANNOTATION: hashlib.sha256(certificate).hexdigest()[:16]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Whose certificate is renewed.

    Attributes:
        held: the Secret with it.
        signer: the Secret with who signs it.
        pods: the DaemonSet of who reads it only when starting; None where it is read again.
    """

    held: ObjectKey
    signer: ObjectKey
    pods: ObjectKey | None = None


SERVERS: Final = (
    Server(held=CONFIG_SERVER, signer=CONFIG_SERVER_CA, pods=CONFIG_SERVER),
    Server(held=INGRESS, signer=INGRESS_CA),
)


class RenewalRoom:
    """Renews certificates."""

    def __init__(self, client: KubeClient, *, clock: Callable[[], datetime] = _utc) -> None:
        self._client = client
        self._clock = clock

    def controller(self) -> Controller:
        """Return what looks at the certificates from time to time."""

        def begun(add: Callable[[ObjectKey], None]) -> Callable[[], None]:
            for one in SERVERS:
                add(one.held)
            return lambda: None

        return Controller(
            name="certificates", reconcile=self.reconcile, sources=[], callers=[begun]
        )

    async def reconcile(self, key: ObjectKey) -> Result:
        """Have a certificate that holds, and pods that serve with it.

        Raises:
            Conflict: the Secret has changed since it was read.
            CredentialError: the authority or the certificate cannot be read.
        """
        server = next(one for one in SERVERS if one.held == key)
        try:
            found = await self._client.get(SECRETS, server.held)
            signer = _credential(await self._client.get(SECRETS, server.signer))
            held = _credential(found)
            now = self._clock()
            if not held.is_signed_by(signer.certificate):
                return Result.again_in(LOOK_SECONDS)
            if now >= renewal(held.term):
                held = await self._renewed(found, held, signer, now)
            if server.pods is not None:
                await self._replace_pods(server.pods, held)
        except NotFound:
            log.debug("%s is not all there: nothing is renewed", key)
        return Result.again_in(LOOK_SECONDS)

    async def _renewed(
        self,
        found: KubeObject[Content],
        held: Credential,
        signer: Credential,
        now: datetime,
    ) -> Credential:
        authority = Authority.read(signer.certificate, signer.key)
        fresh = authority.server(_name(held), held.names, Term.since(now, LEAF_LIFETIME))
        files = {"tls.crt": fresh.certificate, "tls.key": fresh.key}
        change = {
            "metadata": {"resourceVersion": found.metadata.resource_version},
            "data": {name: b64encode(content).decode() for name, content in files.items()},
        }
        await self._client.patch(SECRETS, found.key, change)
        log.info("%s has a new certificate", found.key)
        return fresh

    async def _replace_pods(self, key: ObjectKey, held: Credential) -> None:
        pods = await self._client.get(DAEMON_SETS, key)
        template = pods.content["spec"]["template"]["metadata"]
        wanted = certificate_annotation(held.certificate)
        if template.get("annotations", {}).get(ANNOTATION) != wanted[ANNOTATION]:
            change = {"spec": {"template": {"metadata": {"annotations": wanted}}}}
            await self._client.patch(DAEMON_SETS, key, change)


def _name(held: Credential) -> str:
    return held.subject.removeprefix("CN=")


def _credential(found: KubeObject[Content]) -> Credential:
    data: dict[str, str] = found.content.get("data") or {}
    certificate, key = (b64decode(data.get(name, "")) for name in ("tls.crt", "tls.key"))
    return Credential.read(certificate, key)
