"""A certificate for all servers of a site: it signed itself, and is its own authority."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.onprem_site.plan import Address


@dataclass(frozen=True)
class Certificate:
    """Where it is, and its key."""

    certificate: Path
    key: Path

    @classmethod
    def made(cls, folder: Path, addresses: Iterable[Address], *names: str) -> Certificate:
        """Make one that is good for addresses and names."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "site")])
        now = datetime.now(UTC)
        alternatives = [
            *(x509.IPAddress(address) for address in addresses),
            *(x509.DNSName(name) for name in names),
        ]
        signed = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=2))
            .not_valid_after(now + timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .sign(key, hashes.SHA256())
        )
        made = cls(folder / "site.crt", folder / "site.key")
        made.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        made.key.touch(mode=0o600)
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return made
