"""The lab's own CA, and the certificate of each BMC.

Real BMCs come with certificates nobody has signed. Here they are signed by a CA of the lab, so both
ways can be tried: trust `ca.pem`, or switch verification off.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from ingot.pki.authority import Authority as SigningAuthority
from ingot.pki.credential import Credential, CredentialError
from ingot.pki.term import Term

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
            # Two labs have each their own CA; a client that trusts both must tell them apart.
            name = f"Ingot lab CA {secrets.token_hex(4)}"
            kept = SigningAuthority.made(name, _term()).credential
            _save(self._files, kept)
        self._signing = SigningAuthority(kept)

    @property
    def certificate(self) -> Path:
        """The file that clients trust."""
        return self._files.certificate

    def credentials(self, name: str, address: IPv4Address) -> Credentials:
        """Return what a BMC shows to its clients; the same again while it is good."""
        files = Credentials(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        names = (name, str(address))
        kept = _load(files)
        if kept is None or kept.names != names or not kept.is_signed_by(self._signing.certificate):
            _save(files, self._signing.server(name, names, _term()))
        return files


def _term() -> Term:
    return Term.since(datetime.now(UTC), LIFETIME, skew=SKEW)


def _load(files: Credentials) -> Credential | None:
    """Return what is kept, or None where nothing usable is: it can be made again."""
    try:
        kept = Credential.read(files.certificate.read_bytes(), files.key.read_bytes())
    except (FileNotFoundError, CredentialError):
        return None
    return kept if kept.term.ends - datetime.now(UTC) >= SPARE else None


def _save(files: Credentials, credential: Credential) -> None:
    _write(files.key, credential.key, mode=0o600)
    _write(files.certificate, credential.certificate, mode=0o644)


def _write(path: Path, content: bytes, *, mode: int) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
    fresh.replace(path)
