"""An authority: it vouches for servers and clients by signing their certificates.

An authority signs leaves only, never another authority, and says so. What it signs never outlives
it. RSA keys of an authority that somebody brings along work as well; those we make are P-256.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, ObjectIdentifier

from ingot.pki.credential import (
    Credential,
    CredentialError,
    PrivateKey,
    PublicKey,
    private_pem,
)
from ingot.pki.naming import alternative, distinguished
from ingot.pki.term import Term

__all__ = ["Authority"]


@dataclass(frozen=True, slots=True)
class Authority:
    """Who signs.

    Attributes:
        credential: its own certificate and key.
    """

    credential: Credential

    @classmethod
    def made(cls, name: str, term: Term) -> Self:
        """Make one that signed itself."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = distinguished(name)
        builder = (
            _builder(subject, subject, key, term)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
        )
        return cls(_signed(builder, key, by=key))

    @classmethod
    def read(cls, certificate: bytes, key: bytes) -> Self:
        """Return an authority by its two files.

        Raises:
            CredentialError: they are no authority's.
        """
        credential = Credential.read(certificate, key)
        try:
            limits = credential.parsed.extensions.get_extension_for_class(x509.BasicConstraints)
        except x509.ExtensionNotFound:
            limits = None
        if limits is None or not limits.value.ca:
            raise CredentialError(f"the certificate {credential.subject} is no authority's")
        return cls(credential)

    @property
    def certificate(self) -> bytes:
        """What those trust who trust this authority, as PEM."""
        return self.credential.certificate

    def server(self, name: str, names: Iterable[str], term: Term) -> Credential:
        """Vouch for a server.

        Args:
            name: whose it is, for people.
            names: the DNS names and addresses that clients ask for.
            term: how long.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._leaf(distinguished(name), key, term, ExtendedKeyUsageOID.SERVER_AUTH)
        builder = builder.add_extension(
            x509.SubjectAlternativeName([alternative(one) for one in names]), critical=False
        )
        return _signed(builder, key, by=self.credential.private)

    def client(self, name: str, term: Term, *, organization: str = "") -> Credential:
        """Vouch for a client.

        Args:
            name: who it is.
            term: how long.
            organization: the group that it belongs to.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        subject = distinguished(name, organization=organization)
        builder = self._leaf(subject, key, term, ExtendedKeyUsageOID.CLIENT_AUTH)
        return _signed(builder, key, by=self.credential.private)

    def _leaf(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        term: Term,
        purpose: ObjectIdentifier,
    ) -> x509.CertificateBuilder:
        own = self.credential.parsed
        return (
            _builder(subject, own.subject, key, term.within(self.credential.term))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
            .add_extension(_issuer_key(own, self.credential.private.public_key()), critical=False)
        )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, term: Term
) -> x509.CertificateBuilder:
    public = key.public_key()
    return (
        x509.CertificateBuilder(issuer, subject, public, x509.random_serial_number())
        .not_valid_before(term.begins)
        .not_valid_after(term.ends)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _signed(
    builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey, *, by: PrivateKey
) -> Credential:
    certificate = builder.sign(by, hashes.SHA256())
    return Credential(certificate.public_bytes(Encoding.PEM), private_pem(key))


def _issuer_key(issuer: x509.Certificate, issuer_key: PublicKey) -> x509.AuthorityKeyIdentifier:
    """Return what links a leaf to its authority: what that calls itself, else by its key."""
    try:
        named = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    except x509.ExtensionNotFound:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key)
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(named.value)


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
