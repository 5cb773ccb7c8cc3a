"""Keeps the certificate young: on disk, and in what the API server trusts.

The API server is always told first, and nothing new is served before it has been. While it cannot
be told, what is served stays as it is; there is a month for that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ingot.errors import IngotError
from ingot.metal3.webhooks.certificates import DEFAULT, Keyring, Life, advanced

__all__ = ["Rotation", "keep", "kept"]

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 60.0
FILES: Final = (
    "tls.crt",
    "tls.key",
    "ca.crt",
    "earlier-ca.crt",
    "coming.crt",
    "coming.key",
    "coming-ca.crt",
)

Publish = Callable[[bytes], Awaitable[None]]
"""Makes the API server trust these authorities; raises `IngotError` where it did not."""


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True, kw_only=True)
class Rotation:
    """The certificate in a folder, renewed in time.

    Attributes:
        folder: where its files are. Only we write there.
        names: what the certificate is for.
        publish: tells the API server whom to trust.
        life: how long things last.
        every: seconds from one look to the next.
    """

    folder: Path
    names: Sequence[str]
    publish: Publish
    life: Life = DEFAULT
    every: float = LOOK_SECONDS
    clock: Callable[[], datetime] = _utc
    _published: bytes = b""
    _since: datetime | None = field(default=None)

    def begin(self) -> bytes:
        """See to it that there is a valid certificate to serve with; return whom to trust.

        Without the API server, which may ask us as soon as it knows of us.
        """
        return self._advance().ca_bundle

    async def step(self) -> None:
        """Do what is due now.

        Raises:
            IngotError: the API server could not be told.
        """
        ring = self._advance()
        bundle = ring.ca_bundle
        if bundle != self._published:
            self._since = None
            await self.publish(bundle)
            self._published, self._since = bundle, self.clock()

    async def run(self) -> None:
        """Do what is due, whenever it is, until cancelled."""
        while True:
            try:
                await self.step()
            except IngotError as error:
                log.warning(
                    "the API server does not yet trust our certificates: %s; trying again in %s s",
                    error,
                    self.every,
                )
            await asyncio.sleep(self.every)

    def _advance(self) -> Keyring:
        ring = kept(self.folder)
        due = advanced(
            ring, self.names, now=self.clock(), trusted_since=self._since, life=self.life
        )
        if due is not ring:
            keep(due, self.folder)
        return due


def kept(folder: Path) -> Keyring | None:
    """Return the keyring of a folder; None where there is none that can be used."""
    return Keyring.read(_found(folder))


def keep(ring: Keyring, folder: Path) -> None:
    """Put a keyring into a folder, where it can be read by its owner only.

    Every file is replaced as a whole. The key comes before its certificate; `WatchedTls` waits for
    both, and a folder that was left in between is one without a keyring, so that a new one is made.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    wanted = ring.files()
    for name in reversed(FILES):
        place = folder / name
        if name not in wanted:
            place.unlink(missing_ok=True)
            continue
        new = folder / f".{name}.new"
        new.unlink(missing_ok=True)
        new.touch(mode=0o600)
        new.write_bytes(wanted[name])
        new.replace(place)


def _found(folder: Path) -> Mapping[str, bytes]:
    found = {}
    for name in FILES:
        try:
            found[name] = (folder / name).read_bytes()
        except FileNotFoundError:
            continue
    return found
