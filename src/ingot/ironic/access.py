"""Where Ironic is, who we are to it, and whom we trust to be it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from ingot.errors import ExitCode, IngotError

__all__ = ["Access", "AccessError", "Credentials", "Tls"]


class AccessError(IngotError):
    """What Ironic is to be reached with cannot be used."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user of Ironic's htpasswd file."""

    username: str
    password: str = field(repr=False)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return what `username` and `password` in a folder hold, as a Secret is mounted.

        Raises:
            AccessError: one of them cannot be read, or holds nothing.
        """
        return cls(*(_content(folder / name) for name in ("username", "password")))


@dataclass(frozen=True, slots=True)
class Tls:
    """How the two sides know each other.

    Attributes:
        ca_file: the only certificates that are trusted; None: those of the operating system.
        certificate: our own, for a server that asks for it, with its key.
        verify: whether the server's certificate is looked at.
        verify_host: whether it has to name the host of the address.
    """

    ca_file: Path | None = None
    certificate: tuple[Path, Path] | None = None
    verify: bool = True
    verify_host: bool = True

    def context(self) -> ssl.SSLContext:
        """Return what connections are made with.

        Raises:
            AccessError: a file is missing or holds something else.
        """
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
            if self.certificate:
                context.load_cert_chain(*self.certificate)
        except (OSError, ssl.SSLError) as refused:
            files = [self.ca_file, *(self.certificate or ())]
            named = ", ".join(str(path) for path in files if path)
            raise AccessError(
                f"the TLS files for Ironic cannot be used ({named}): {refused}",
                remedy="give PEM files: the CA's certificate, and our certificate with its key",
            ) from refused
        context.check_hostname = self.verify and self.verify_host
        if not self.verify:
            context.verify_mode = ssl.CERT_NONE
        return context


@dataclass(frozen=True, slots=True)
class Access:
    """All that is needed to talk to one Ironic.

    Attributes:
        url: the address of its API, without `/v1`.
        credentials: None where it asks for none.
    """

    url: str
    credentials: Credentials | None = None
    tls: Tls = Tls()

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        # Before anything is quoted: an address may hold a password.
        if "@" in parts.netloc:
            raise AccessError(
                "the address of Ironic has a user name or password in it",
                remedy="give them as credentials: an address is shown in logs",
            )
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise AccessError(
                f"{self.url!r} is no address of Ironic's API",
                remedy="write http://HOST:6385 or https://HOST:6385",
            )

    @property
    def root(self) -> str:
        """The address that paths such as `/v1/nodes` are put after."""
        return self.url.rstrip("/").removesuffix("/v1")


def _content(path: Path) -> str:
    try:
        content = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as refused:
        raise AccessError(
            f"{path} cannot be read: {refused.__class__.__name__}",
            remedy="mount the Secret with Ironic's `username` and `password` there",
        ) from refused
    if not content:
        raise AccessError(f"{path} is empty", remedy="put Ironic's user name and password there")
    return content
