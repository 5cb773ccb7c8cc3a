"""A certificate on disk that may be replaced at any time, and served without a restart.

A new connection is shaken with the certificate that was last read; one that is open keeps its own.
Certificate and key are two files, so that one may be newer than the other for a moment. Both are
therefore first tried together, and only a pair that fits takes the place of the one in use.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingot.errors import IngotError

__all__ = ["UnusableCertificate", "WatchedTls"]

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 5.0
"""Two calls of stat; far less than the minutes that a certificate is made ahead of its use."""


class UnusableCertificate(IngotError):  # noqa: N818 - it names what was seen
    """Certificate and key cannot be served with."""


@dataclass(slots=True)
class WatchedTls:
    """A certificate and its key, as they are on disk now.

    Attributes:
        certificate: the file with the certificate.
        key: the file with its key.
        every: seconds from one look to the next.
    """

    certificate: Path
    key: Path
    every: float = LOOK_SECONDS
    _newest: ssl.SSLContext | None = None
    _seen: tuple[tuple[int, ...], ...] = field(default=())

    def context(self) -> ssl.SSLContext:
        """Return what to listen with; each connection then gets the newest certificate.

        Raises:
            UnusableCertificate: there is none that could be served with.
        """
        self._seen = self._marks()
        front = self._newest = self._loaded()
        front.sni_callback = self._give_newest
        return front

    def look(self) -> bool:
        """Read the files again if they are not those that were read; return whether so.

        Raises:
            UnusableCertificate: they are others, and not a pair. The one before stays in use.
        """
        marks = self._marks()
        if marks == self._seen:
            return False
        self._newest = self._loaded()
        self._seen = marks  # only now, so that a half-written pair is looked at again
        return True

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        complained: tuple[tuple[int, ...], ...] = ()
        while True:
            await asyncio.sleep(self.every)
            try:
                if self.look():
                    log.info("serving with a new certificate from %s", self.certificate)
            except UnusableCertificate as error:
                if (marks := self._marks()) != complained:
                    log.warning("%s; %s", error.what, error.remedy)
                    complained = marks

    def _give_newest(
        self, connection: ssl.SSLSocket | ssl.SSLObject, _name: str | None, _of: ssl.SSLContext
    ) -> None:
        if self._newest is not None:
            connection.context = self._newest

    def _loaded(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self.certificate, self.key)
        except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
            raise UnusableCertificate(
                f"{self.certificate} and {self.key} cannot be served with: {error}",
                remedy="put a certificate and its own key there, both as PEM",
            ) from error
        return context

    def _marks(self) -> tuple[tuple[int, ...], ...]:
        return tuple(_mark(path) for path in (self.certificate, self.key))


def _mark(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_ino, found.st_size
