"""A key with its public half and no certificate, as the service-account tokens are signed with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ingot.pki.credential import PrivateKey, private_pem

__all__ = ["KeyPair"]


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A private and a public key, as PEM."""

    private: bytes = field(repr=False)
    public: bytes

    @classmethod
    def made(cls) -> Self:
        """Make one."""
        return cls.of(ec.generate_private_key(ec.SECP256R1()))

    @classmethod
    def of(cls, key: PrivateKey) -> Self:
        """Return a key with its public half."""
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return cls(private_pem(key), public)
