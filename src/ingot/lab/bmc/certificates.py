"""The lab's own CA, and the certificate of each BMC.

Real BMCs come with certificates nobody has signed. Here they are signed by a CA of the lab, so both
ways can be tried: trust `ca.pem`, or switch verification off. Elliptic curves, because ten keys are
then made in no time and a handshake costs a busy machine little.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["Authority", "Credentials"]

LIFETIME = timedelta(days=10 * 365)
SPARE = timedelta(days=30)
"""A certificate with less than this left is made anew."""
SKEW = timedelta(hours=24)
"""Certificates are valid from a day ago: a host's clock may be wrong, some faults make it so."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path


class Authority:
    """The CA of a lab, kept in a folder together with what it has signed."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._files = Credentials(folder / "ca.pem", folder / "ca.key")
        kept = _load(self._files)
        if kept is None:
            kept = _sign_self()
            _save(self._files, *kept)
        self._certificate, self._key = kept

    @property
    def certificate(self) -> Path:
        """The file that clients trust."""
        return self._files.certificate

    def credentials(self, name: str, address: IPv4Address) -> Credentials:
        """Return what a BMC shows to its clients; the same again while it is good."""
        files = Credentials(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        names = (x509.DNSName(name), x509.IPAddress(address))
        kept = _load(files)
        if kept is None or not self._is_good(kept[0], names):
            _save(files, *self._sign(name, names))
        return files

    def _is_good(self, certificate: x509.Certificate, names: Sequence[x509.GeneralName]) -> bool:
        try:
            certificate.verify_directly_issued_by(self._certificate)
        except (InvalidSignature, TypeError, ValueError):
            return False
        shown = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        return shown == x509.SubjectAlternativeName(names)

    def _sign(
        self, name: str, names: Sequence[x509.GeneralName]
    ) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = self._certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
        builder = (
            _blank(name, key)
            .issuer_name(self._certificate.subject)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(issuer.value),
                critical=False,
            )
        )
        return builder.sign(self._key, hashes.SHA256()), key


def _sign_self() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    # Two labs have each their own CA; a client that trusts both must tell them apart.
    name = f"Ingot lab CA {x509.random_serial_number() % 0x1_0000_0000:08x}"
    builder = (
        _blank(name, key)
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
    )
    return builder.sign(key, hashes.SHA256()), key


def _blank(name: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _load(files: Credentials) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None:
    """Return what is kept, or None where nothing usable is: it can be made again."""
    try:
        certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
        key = load_pem_private_key(files.key.read_bytes(), password=None)
    except (FileNotFoundError, ValueError):
        return None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        return None
    if key.public_key() != certificate.public_key():
        return None
    if certificate.not_valid_after_utc - datetime.now(UTC) < SPARE:
        return None
    return certificate, key


def _save(
    files: Credentials, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey
) -> None:
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write(files.key, private, mode=0o600)
    _write(files.certificate, certificate.public_bytes(Encoding.PEM), mode=0o644)


def _write(path: Path, content: bytes, *, mode: int) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
    fresh.replace(path)
