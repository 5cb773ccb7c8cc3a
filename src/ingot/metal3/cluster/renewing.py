"""The certificate of the config server, renewed in time: who joins in three years is served too.

It is signed by the authority that the hosts' pointer configs name, for the same names. The pods are
then replaced, one after the other.
"""

from __future__ import annotations

import hashlib
import logging
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from ingot.kube.client import KubeClient
from ingot.kube.controller import Controller, Result
from ingot.kube.errors import NotFound
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.cluster.credentials import renewal
from ingot.metal3.cluster.names import CONFIG_SERVER, CONFIG_SERVER_CA, DAEMON_SETS, SECRETS
from ingot.pki.authority import Authority
from ingot.pki.credential import Credential
from ingot.pki.term import LEAF_LIFETIME, Term

__all__ = ["ANNOTATION", "RenewalRoom", "certificate_annotation"]

log = logging.getLogger(__name__)

ANNOTATION: Final = "ingot.local/certificate"
LOOK_SECONDS: Final = 6 * 3600.0


def _utc() -> datetime:
    return datetime.now(UTC)


def certificate_annotation(certificate: bytes) -> dict[str, str]:
    """Return what has pods replaced when their certificate is another one."""
    return {ANNOTATION: hashlib.sha256(certificate).hexdigest()[:16]}


class RenewalRoom:
    """Renews one certificate."""

    def __init__(self, client: KubeClient, *, clock: Callable[[], datetime] = _utc) -> None:
        self._client = client
        self._clock = clock

    def controller(self) -> Controller:
        """Return what looks at the certificate from time to time."""

        def begun(add: Callable[[ObjectKey], None]) -> Callable[[], None]:
            add(CONFIG_SERVER)
            return lambda: None

        return Controller(
            name="config-server", reconcile=self.reconcile, sources=[], callers=[begun]
        )

    async def reconcile(self, _key: ObjectKey) -> Result:
        """Have a certificate that holds, and pods that serve with it.

        Raises:
            Conflict: the Secret has changed since it was read.
            CredentialError: the authority or the certificate cannot be read.
        """
        try:
            found = await self._client.get(SECRETS, CONFIG_SERVER)
            signer = await self._client.get(SECRETS, CONFIG_SERVER_CA)
            pods = await self._client.get(DAEMON_SETS, CONFIG_SERVER)
        except NotFound:
            return Result.again_in(LOOK_SECONDS)
        held = _credential(found)
        now = self._clock()
        if now >= renewal(held.term):
            held = await self._renewed(found, held, _credential(signer), now)
        template = pods.content["spec"]["template"]["metadata"]
        wanted = certificate_annotation(held.certificate)
        if template.get("annotations", {}).get(ANNOTATION) != wanted[ANNOTATION]:
            change = {"spec": {"template": {"metadata": {"annotations": wanted}}}}
            await self._client.patch(DAEMON_SETS, CONFIG_SERVER, change)
        return Result.again_in(LOOK_SECONDS)

    async def _renewed(
        self,
        found: KubeObject[Content],
        held: Credential,
        signer: Credential,
        now: datetime,
    ) -> Credential:
        authority = Authority.read(signer.certificate, signer.key)
        term = Term.since(now, LEAF_LIFETIME)
        fresh = authority.server("ingot-config-server", held.names, term)
        files = {"tls.crt": fresh.certificate, "tls.key": fresh.key}
        change = {
            "metadata": {"resourceVersion": found.metadata.resource_version},
            "data": {name: b64encode(content).decode() for name, content in files.items()},
        }
        await self._client.patch(SECRETS, CONFIG_SERVER, change)
        log.info("the config server has a new certificate")
        return fresh


def _credential(found: KubeObject[Content]) -> Credential:
    data: dict[str, str] = found.content.get("data") or {}
    certificate, key = (b64decode(data.get(name, "")) for name in ("tls.crt", "tls.key"))
    return Credential.read(certificate, key)
