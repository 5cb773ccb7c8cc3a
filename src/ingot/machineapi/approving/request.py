"""A request for a certificate, as far as it is looked at.

Two things are in one: who asked, which the API server has written down and nobody can choose, and
what is asked for, which is inside of the request and may be anything.
"""

from __future__ import annotations

import base64
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509.oid import NameOID

from ingot.kube.kind import Content, Kind
from ingot.kube.object import KubeObject
from ingot.machineapi.seeing import moment

__all__ = [
    "CLIENT_SIGNER",
    "NODES",
    "NODE_USER",
    "REQUESTS",
    "SERVING_SIGNER",
    "Asked",
    "Request",
    "is_pending",
    "signer_of",
]

REQUESTS: Final = Kind.untyped(
    "certificates.k8s.io",
    "v1",
    "CertificateSigningRequest",
    "certificatesigningrequests",
    namespaced=False,
)
CLIENT_SIGNER: Final = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING_SIGNER: Final = "kubernetes.io/kubelet-serving"
NODE_USER: Final = "system:node:"
NODES: Final = "system:nodes"

_DECIDED: Final = frozenset({"Approved", "Denied", "Failed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a certificate is to say.

    Attributes:
        names: common names of the subject.
        organisations: of the subject.
        other_subject: whether the subject says anything more.
        dns: host names that it is for.
        addresses: that it is for.
        other_names: whether it is for anything else: an e-mail address, a URI.
    """

    names: tuple[str, ...]
    organisations: tuple[str, ...]
    other_subject: bool = False
    dns: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    other_names: bool = False

    @property
    def for_nobody(self) -> bool:
        """Whether it is for no host at all, as the certificate of a client is."""
        return not (self.dns or self.addresses or self.other_names)

    @property
    def node(self) -> str:
        """The Node that it says to be; "" if it says anything else."""
        match self.names:
            case (name,) if name.startswith(NODE_USER) and not self.other_subject:
                return name.removeprefix(NODE_USER)
            case _:
                return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request.

    Attributes:
        name: what it is called.
        signer: who is to sign it.
        user: who asked.
        groups: those of who asked.
        usages: what the certificate is to be good for.
        created: when it was made.
        asked: what it asks for; None if that cannot be read.
    """

    name: str
    signer: str
    user: str
    groups: frozenset[str]
    usages: frozenset[str]
    created: datetime | None
    asked: Asked | None

    @classmethod
    def of(cls, found: KubeObject[Content]) -> Request:
        """Return what an object says."""
        spec = found.content["spec"]
        return cls(
            name=found.metadata.name,
            signer=spec["signerName"],
            user=spec.get("username", ""),
            groups=frozenset(spec.get("groups", ())),
            usages=frozenset(spec.get("usages", ())),
            created=moment(found.metadata.creation_timestamp),
            asked=_read(spec.get("request", "")),
        )

    @property
    def requester(self) -> str:
        """The Node that asked; "" if it was none."""
        return self.user.removeprefix(NODE_USER) if self.user.startswith(NODE_USER) else ""

    def is_for(self, *usages: str) -> bool:
        """Tell whether it asks for these usages, and for nothing but keys' usual ones besides."""
        wanted = {"digital signature", *usages}
        return wanted <= self.usages <= wanted | {"key encipherment"}


def is_pending(found: KubeObject[Content]) -> bool:
    """Tell whether nobody has decided about a request, or signed it."""
    status = found.content.get("status") or {}
    decided = {one["type"] for one in status.get("conditions", ())}
    return not status.get("certificate") and not decided & _DECIDED


def signer_of(found: KubeObject[Content]) -> str:
    """Return who is to sign a request."""
    signer: str = found.content["spec"]["signerName"]
    return signer


def _read(text: str) -> Asked | None:
    """Return what a request asks for; None where it is none, or not signed with its own key."""
    try:
        csr = x509.load_pem_x509_csr(base64.b64decode(text))
        if not csr.is_signature_valid:
            return None
        names = _alternatives(csr)
    except (ValueError, InvalidSignature, UnsupportedAlgorithm, x509.InvalidVersion):
        return None
    known = (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME)
    return Asked(
        names=_texts(csr, NameOID.COMMON_NAME),
        organisations=_texts(csr, NameOID.ORGANIZATION_NAME),
        other_subject=any(one.oid not in known for one in csr.subject),
        dns=frozenset(one.value.lower() for one in names if isinstance(one, x509.DNSName)),
        addresses=frozenset(str(one.value) for one in names if isinstance(one, x509.IPAddress)),
        other_names=any(not isinstance(one, x509.DNSName | x509.IPAddress) for one in names),
    )


def _texts(csr: x509.CertificateSigningRequest, oid: x509.ObjectIdentifier) -> tuple[str, ...]:
    return tuple(str(one.value) for one in csr.subject.get_attributes_for_oid(oid))


def _alternatives(csr: x509.CertificateSigningRequest) -> Collection[Any]:
    try:
        return list(csr.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        return ()
