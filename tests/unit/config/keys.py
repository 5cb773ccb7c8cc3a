"""Keys and certificates for tests, made once: what a person would paste into a config."""

from __future__ import annotations

import base64
import datetime as dt
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import NameOID

PUBLIC = Encoding.OpenSSH, PublicFormat.OpenSSH

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())

RSA = RSA_KEY.public_key().public_bytes(*PUBLIC).decode()
ECDSA = EC_KEY.public_key().public_bytes(*PUBLIC).decode()
ED25519 = ed25519.Ed25519PrivateKey.generate().public_key().public_bytes(*PUBLIC).decode()

PRIVATE = EC_KEY.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode()
PRIVATE_PEM = EC_KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@cache
def certificate(name: str = "authority") -> str:
    """Return a certificate in PEM form."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(EC_KEY.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=365))
        .sign(EC_KEY, hashes.SHA256())
    )
    return made.public_bytes(Encoding.PEM).decode()


def certificate_of_version(number: int) -> str:
    """Return a certificate that says it is of a version that X.509 does not have."""
    der = bytearray(
        x509.load_pem_x509_certificate(certificate().encode()).public_bytes(Encoding.DER)
    )
    # The version is the first field: [0] EXPLICIT INTEGER, of one byte.
    mark = der.index(b"\xa0\x03\x02\x01")
    der[mark + 4] = number
    body = base64.encodebytes(bytes(der)).decode()
    return f"-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----\n"
