"""The certificate that we serve with, the authority that the API server knows it by, and their age.

Each certificate has an authority of its own, whose key is forgotten once it has signed: there is
nothing to steal and nothing to keep but the certificate in use. A rotation is made in two steps,
because those who trust and those who serve are never changed at the same instant. First the next
authority becomes trusted beside the present one; its certificate is served only when that has been
so for as long as `SETTLING`, and every API server has heard of it. Older authorities stay trusted
until they expire, so that another copy of us may be late.

`advanced` is pure but for the keys that it makes. A `Keyring` is a few small files, of a folder or
of a Secret, and whoever holds it decides where it lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["DEFAULT", "LIFETIME", "SETTLING", "Credential", "Keyring", "Life", "advanced"]

LIFETIME: Final = timedelta(days=90)
SETTLING: Final = timedelta(minutes=10)
"""From an authority's being trusted to its being relied on: it has to reach all API servers."""

SKEW: Final = timedelta(hours=1)
"""How far the clock of an API server may be behind ours."""

_RENEWED_AT: Final = 2 / 3
"""Of its life; then a month is left to notice that rotation fails."""


@dataclass(frozen=True, slots=True)
class Life:
    """How long a certificate lasts, and how long the next one settles; tests have less time."""

    lasts: timedelta = LIFETIME
    settles: timedelta = SETTLING


DEFAULT: Final = Life()


@dataclass(frozen=True, slots=True)
class Credential:
    """A certificate with its key, and the authority that signed it; all as PEM."""

    certificate: bytes
    key: bytes = field(repr=False)
    authority: bytes

    @classmethod
    def made(cls, names: Sequence[str], *, now: datetime, lifetime: timedelta) -> Credential:
        """Make one for these names or addresses."""
        signing, serving = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        issuer = _named(f"ingot-webhook-ca-{now:%Y%m%dT%H%M%S}")
        authority = (
            _builder(issuer, issuer, signing.public_key(), now, lifetime)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(signing.public_key()), critical=False
            )
            .sign(signing, hashes.SHA256())
        )
        certificate = (
            _builder(_named("ingot-webhook"), issuer, serving.public_key(), now, lifetime)
            .add_extension(
                x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False
            )
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()),
                critical=False,
            )
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .sign(signing, hashes.SHA256())
        )
        key = serving.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return cls(_pem(certificate), key, _pem(authority))

    @property
    def begins(self) -> datetime:
        """When it was made."""
        return x509.load_pem_x509_certificate(self.certificate).not_valid_before_utc + SKEW

    @property
    def ends(self) -> datetime:
        """When it is no longer valid."""
        return x509.load_pem_x509_certificate(self.certificate).not_valid_after_utc

    @property
    def renewal(self) -> datetime:
        """When the next one is due."""
        return self.begins + (self.ends - self.begins) * _RENEWED_AT

    def covers(self, names: Sequence[str]) -> bool:
        """Return whether it is for all of these names."""
        found = x509.load_pem_x509_certificate(self.certificate).extensions
        known = found.get_extension_for_class(x509.SubjectAlternativeName).value
        return all(_alternative(name) in known for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyring:
    """All that is served and trusted now.

    Attributes:
        serving: what is served with.
        coming: what will be, once its authority is trusted everywhere.
        earlier: authorities of what was served before, as PEM.
    """

    serving: Credential
    coming: Credential | None = None
    earlier: tuple[bytes, ...] = ()

    @property
    def ca_bundle(self) -> bytes:
        """What the API server has to trust."""
        coming = (self.coming.authority,) if self.coming else ()
        return b"".join((self.serving.authority, *coming, *self.earlier))

    def files(self) -> dict[str, bytes]:
        """Return it as the files that `read` takes; the first two are what is served."""
        written = {
            "tls.crt": self.serving.certificate,
            "tls.key": self.serving.key,
            "ca.crt": self.serving.authority,
            "earlier-ca.crt": b"".join(self.earlier),
        }
        if self.coming is not None:
            written |= {
                "coming.crt": self.coming.certificate,
                "coming.key": self.coming.key,
                "coming-ca.crt": self.coming.authority,
            }
        return written

    @classmethod
    def read(cls, files: Mapping[str, bytes]) -> Keyring | None:
        """Return the keyring of these files; None where they are none, and a new one is needed."""
        try:
            serving = _read(files, "tls.crt", "tls.key", "ca.crt")
            coming = (
                _read(files, "coming.crt", "coming.key", "coming-ca.crt")
                if "coming.crt" in files
                else None
            )
            earlier = files.get("earlier-ca.crt", b"")
            known = x509.load_pem_x509_certificates(earlier) if earlier else []
        except (KeyError, ValueError, TypeError, InvalidSignature):
            return None
        return cls(serving=serving, coming=coming, earlier=tuple(_pem(one) for one in known))


def advanced(
    ring: Keyring | None,
    names: Sequence[str],
    *,
    now: datetime,
    trusted_since: datetime | None = None,
    life: Life = DEFAULT,
) -> Keyring:
    """Return the keyring that is due now: the same, or one step further.

    Where nothing valid is served there is nothing to lose, and a new one is served at once.

    Args:
        ring: what there is.
        names: what the certificate has to be for.
        now: the time.
        trusted_since: when the API server was told to trust all of `ring`; None if not yet.
        life: how long things last.
    """
    if ring is None:
        return Keyring(serving=Credential.made(names, now=now, lifetime=life.lasts))
    coming = ring.coming
    if coming is not None and (coming.ends <= now or not coming.covers(names)):
        coming = None
    if ring.serving.ends <= now or not ring.serving.covers(names):
        return _serving(ring, coming or Credential.made(names, now=now, lifetime=life.lasts), now)
    if coming is None and ring.serving.renewal <= now:
        return replace(ring, coming=Credential.made(names, now=now, lifetime=life.lasts))
    if coming is not None and trusted_since is not None and trusted_since + life.settles <= now:
        return _serving(ring, coming, now)
    return ring if coming is ring.coming else replace(ring, coming=coming)


def _serving(ring: Keyring, credential: Credential, now: datetime) -> Keyring:
    return Keyring(serving=credential, earlier=_valid((ring.serving.authority, *ring.earlier), now))


def _read(files: Mapping[str, bytes], certificate: str, key: str, authority: str) -> Credential:
    read = Credential(files[certificate], files[key], files[authority])
    private = serialization.load_pem_private_key(read.key, None)
    served = x509.load_pem_x509_certificate(read.certificate)
    served.verify_directly_issued_by(x509.load_pem_x509_certificate(read.authority))
    if private.public_key() != served.public_key():
        raise ValueError(f"{key} is not the key of {certificate}")
    return read


def _valid(authorities: Sequence[bytes], now: datetime) -> tuple[bytes, ...]:
    return tuple(
        one for one in authorities if x509.load_pem_x509_certificate(one).not_valid_after_utc > now
    )


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    now: datetime,
    lifetime: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + lifetime)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
