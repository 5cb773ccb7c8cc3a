"""A certificate with its key: how an owner proves who it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ingot.errors import IngotError
from ingot.pki.naming import alternative, spelled
from ingot.pki.term import Term

__all__ = ["Credential", "CredentialError", "PrivateKey", "PublicKey", "private_pem"]

PrivateKey: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
"""We make the first alone; an authority that somebody brings along may have the second."""


PublicKey: TypeAlias = ec.EllipticCurvePublicKey | rsa.RSAPublicKey


class CredentialError(IngotError):
    """A certificate or key cannot be used."""

    def __init__(self, what: str) -> None:
        super().__init__(what, remedy="replace both files by a certificate and its key, as PEM")


@dataclass(frozen=True, slots=True)
class Credential:
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes = field(repr=False)

    @classmethod
    def read(cls, certificate: bytes, key: bytes) -> Self:
        """Return two files as one credential.

        Raises:
            CredentialError: one cannot be read, or they do not belong together.
        """
        made = cls(certificate, key)
        if made.private.public_key() != made.parsed.public_key():
            raise CredentialError(f"the key is not that of the certificate {made.subject}")
        return made

    @property
    def parsed(self) -> x509.Certificate:
        """The certificate; the first, where others follow it.

        Raises:
            CredentialError: it is none.
        """
        try:
            return x509.load_pem_x509_certificate(self.certificate)
        except ValueError as error:
            raise CredentialError("the certificate cannot be read") from error

    @property
    def private(self) -> PrivateKey:
        """The key.

        Raises:
            CredentialError: it is none, has a password, or is of a kind that is not used here.
        """
        try:
            key = load_pem_private_key(self.key, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise CredentialError("the key cannot be read without a password") from error
        if not isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
            raise CredentialError("the key is neither of an elliptic curve nor RSA")
        return key

    @property
    def subject(self) -> str:
        """Whose it is."""
        return self.parsed.subject.rfc4514_string()

    @property
    def term(self) -> Term:
        """From when to when it holds."""
        parsed = self.parsed
        return Term(parsed.not_valid_before_utc, parsed.not_valid_after_utc)

    @property
    def names(self) -> tuple[str, ...]:
        """What it is good for: DNS names and addresses."""
        try:
            found = self.parsed.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        except x509.ExtensionNotFound:
            return ()
        return tuple(spelled(name) for name in found.value)

    def covers(self, names: Iterable[str]) -> bool:
        """Return whether it is good for all of these names."""
        known = {alternative(name) for name in self.names}
        return all(alternative(name) in known for name in names)

    def is_signed_by(self, authority: bytes) -> bool:
        """Return whether an authority, by its certificate, signed it."""
        try:
            issuer = x509.load_pem_x509_certificate(authority)
            self.parsed.verify_directly_issued_by(issuer)
        except (InvalidSignature, TypeError, ValueError):
            return False
        return True


def private_pem(key: PrivateKey) -> bytes:
    """Return a key as PEM, unencrypted."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
