"""Who Ironic is, and who may use it: made in the cluster, and made anew in time.

An authority of ten years signs a certificate of one year. When two thirds of that have passed, or
the certificate lacks an address, it is signed again, and the password is another one. The pod is
then replaced. The authority stays, so agents that run meanwhile still know Ironic.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from ingot.metal3.pod.settings import Settings
from ingot.pki.authority import Authority
from ingot.pki.credential import Credential, CredentialError
from ingot.pki.term import AUTHORITY_LIFETIME, LEAF_LIFETIME, Term

__all__ = ["FILES", "Ring", "names_of", "renewal", "ring"]

FILES: Final = ("tls.crt", "tls.key", "ca.crt", "username", "password")
USERNAME: Final = "ingot"
PASSWORD_BYTES: Final = 24
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
SHARE: Final = 2 / 3
"""Of its life, after which a certificate is renewed."""

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """What is in the two Secrets, and what has to be written.

    Attributes:
        authority: `tls.crt` and `tls.key` of who signs.
        files: the pod's.
        renew_after: seconds until it is to be looked at again.
        new_authority: whether the authority was made now.
        new_files: whether the pod's files were made now.
    """

    authority: Files = field(repr=False)
    files: Files = field(repr=False)
    renew_after: float
    new_authority: bool = False
    new_files: bool = False


def names_of(settings: Settings) -> tuple[str, ...]:
    """Return the addresses that Ironic is reached at."""
    addresses = (settings.provisioning_ip, *settings.external_addresses)
    return tuple(dict.fromkeys((*map(str, addresses), *LOOPBACK)))


def ring(authority: Files, files: Files, names: Sequence[str], *, now: datetime) -> Ring:
    """Return the credentials to use now: those that there are, or others.

    Args:
        authority: the authority's Secret; empty where there is none.
        files: the pod's Secret; empty where there is none.
        names: what the certificate has to be for.
        now: the time.
    """
    signer, new_authority = _signer(authority, now)
    due = None if new_authority else _due(signer, files, names)
    if due is not None and now < due:
        kept = {name: files[name] for name in FILES}
        return Ring(authority=authority, files=kept, renew_after=(due - now).total_seconds())
    term = Term.since(now, LEAF_LIFETIME).within(signer.credential.term)
    leaf = signer.server("ingot-ironic", names, term)
    made = {
        "tls.crt": leaf.certificate,
        "tls.key": leaf.key,
        "ca.crt": signer.certificate,
        "username": USERNAME.encode(),
        "password": secrets.token_urlsafe(PASSWORD_BYTES).encode(),
    }
    return Ring(
        authority={"tls.crt": signer.certificate, "tls.key": signer.credential.key},
        files=made,
        renew_after=(renewal(term) - now).total_seconds(),
        new_authority=new_authority,
        new_files=True,
    )


def _signer(files: Files, now: datetime) -> tuple[Authority, bool]:
    try:
        found = Authority.read(files["tls.crt"], files["tls.key"])
        if now < renewal(found.credential.term):
            return found, False
    except (KeyError, CredentialError):
        pass  # There is none that could be used, so there is one from now on.
    return Authority.made("ingot-ironic-ca", Term.since(now, AUTHORITY_LIFETIME)), True


def _due(signer: Authority, files: Files, names: Sequence[str]) -> datetime | None:
    """Return when a certificate is to be renewed; None: at once."""
    if any(not files.get(name) for name in FILES) or files["ca.crt"] != signer.certificate:
        return None
    try:
        found = Credential.read(files["tls.crt"], files["tls.key"])
    except CredentialError:
        return None
    return renewal(found.term) if found.covers(names) else None


def renewal(term: Term) -> datetime:
    """Return when a certificate is to be renewed."""
    life: timedelta = term.ends - term.begins
    return term.begins + life * SHARE
