"""A certificate for all servers of a site, in one file with the authority that signed it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingot.pki.authority import Authority
from ingot.pki.term import Term
from tests.onprem_site.plan import Address


@dataclass(frozen=True)
class Certificate:
    """Where it is, and its key."""

    certificate: Path
    key: Path

    @classmethod
    def made(cls, folder: Path, addresses: Iterable[Address], *names: str) -> Certificate:
        """Make one that is good for addresses and names."""
        days = timedelta(days=2)
        term = Term.since(datetime.now(UTC), days, skew=days)
        authority = Authority.made("site", term)
        signed = authority.server("server", [*map(str, addresses), *names], term)
        made = cls(folder / "site.crt", folder / "site.key")
        # Servers show it, and clients trust it: what they trust is the second of the two.
        made.certificate.write_bytes(signed.certificate + authority.certificate)
        made.key.touch(mode=0o600)
        made.key.write_bytes(signed.key)
        return made
