"""The certificate that a kubelet has at present, seen by calling it.

Only a certificate that the cluster's own authority has signed, that has not expired and that is the
Node's counts. Nothing is said to the kubelet: the call ends after the greeting.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.x509.oid import NameOID

from ingot.machineapi.approving.request import NODE_USER
from ingot.machineapi.approving.serving import Served

__all__ = ["PORT", "Kubelets"]

PORT: Final = 10250
CALL_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Kubelets:
    """All kubelets.

    Attributes:
        authority: a file with the certificate of the cluster's authority; a pod's service account
            has one.
        port: where they listen.
    """

    authority: Path
    port: int = PORT

    async def served(self, node: str, addresses: Iterable[str]) -> Served | None:
        """Return what the certificate of a Node's kubelet is for; None if there is no good one."""
        context = await asyncio.to_thread(_trusting, self.authority)
        for address in sorted(addresses):
            found = await self._called(address, context)
            if found is not None and _common_name(found) == NODE_USER + node:
                return Served(_names(found))
        return None

    async def _called(self, address: str, context: ssl.SSLContext) -> x509.Certificate | None:
        try:
            async with asyncio.timeout(CALL_SECONDS):
                _, writer = await asyncio.open_connection(address, self.port, ssl=context)
        except (OSError, TimeoutError):  # an ssl.SSLError is an OSError
            return None
        try:
            shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
            return x509.load_der_x509_certificate(shown) if shown else None
        except ValueError:
            return None
        finally:
            writer.close()
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CALL_SECONDS):
                    await writer.wait_closed()


def _trusting(authority: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=authority)
    # By its address it was called; whose it is, is in the certificate, and looked at after.
    context.check_hostname = False
    return context


def _common_name(certificate: x509.Certificate) -> str:
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if len(names) == 1 else ""


def _names(certificate: x509.Certificate) -> frozenset[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return frozenset()
    return frozenset(
        str(one.value).lower() for one in found if isinstance(one, x509.DNSName | x509.IPAddress)
    )
