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
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from ingot.pki.authority import Authority
from ingot.pki.credential import Credential as Signed
from ingot.pki.credential import CredentialError
from ingot.pki.term import Term

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
        term = Term.since(now, lifetime, skew=SKEW)
        authority = Authority.made(f"ingot-webhook-ca-{now:%Y%m%dT%H%M%S}", term)
        signed = authority.server("ingot-webhook", names, term)
        return cls(signed.certificate, signed.key, authority.certificate)

    @property
    def begins(self) -> datetime:
        """When it was made."""
        return self._signed.term.begins + SKEW

    @property
    def ends(self) -> datetime:
        """When it is no longer valid."""
        return self._signed.term.ends

    @property
    def renewal(self) -> datetime:
        """When the next one is due."""
        return self.begins + (self.ends - self.begins) * _RENEWED_AT

    def covers(self, names: Sequence[str]) -> bool:
        """Return whether it is for all of these names."""
        return self._signed.covers(names)

    @property
    def _signed(self) -> Signed:
        return Signed(self.certificate, self.key)


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
        except (KeyError, ValueError, CredentialError):
            return None
        pems = (one.public_bytes(Encoding.PEM) for one in known)
        return cls(serving=serving, coming=coming, earlier=tuple(pems))


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
    read = Signed.read(files[certificate], files[key])
    if not read.is_signed_by(files[authority]):
        raise CredentialError(f"{authority} did not sign {certificate}")
    return Credential(read.certificate, read.key, files[authority])


def _valid(authorities: Sequence[bytes], now: datetime) -> tuple[bytes, ...]:
    return tuple(
        one for one in authorities if x509.load_pem_x509_certificate(one).not_valid_after_utc > now
    )
