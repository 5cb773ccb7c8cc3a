"""Any file that a boot asks for, into the machine's folder, with its progress on the console."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ingot.machine.firmware import names, tftp
from ingot.machine.firmware.console import size_of
from ingot.machine.firmware.target import NotBootable

__all__ = ["STALL_SECONDS", "DownloadFailed", "Downloads", "without_password"]

STALL_SECONDS = 30.0
"""How long nothing may come before a server is given up."""
PROGRESS_SECONDS = 2.0


class DownloadFailed(NotBootable):
    """A file could not be had."""


@dataclass(slots=True)
class Downloads:
    """The files of this boot; those of the one before are gone.

    Attributes:
        folder: where they are.
        say: told what is fetched, and how that goes.
        servers: who is asked for names.
        domain: what names without a dot are completed by.
        stall: how long nothing may come.
    """

    folder: Path
    say: Callable[[str], None]
    servers: Sequence[IPv4Address] = ()
    domain: str = ""
    stall: float = STALL_SECONDS
    _count: int = field(default=0, init=False)

    def clear(self) -> None:
        """Remove what an earlier boot left."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)

    def fresh(self, name: str) -> Path:
        """Return a path for a new file, recognisable by a name."""
        self._count += 1
        plain = "".join(one for one in name if one.isalnum() or one in ".-_")
        return self.folder / f"{self._count}-{plain[-60:] or 'file'}"

    def fetch(
        self, url: str, *, stall: float | None = None, form: Mapping[str, str] | None = None
    ) -> Path:
        """Return the file behind a URL.

        Args:
            url: of TFTP, HTTP or HTTPS.
            stall: how long nothing may come, where that is not as always.
            form: fields to send.

        Raises:
            DownloadFailed: saying why.
        """
        shown = without_password(url)
        path = self.fresh(urlsplit(url).path.rpartition("/")[2])
        began = time.monotonic()
        try:
            size = self._receive(url, path, stall or self.stall, form)
        except (OSError, ValueError) as failed:
            path.unlink(missing_ok=True)
            why = "timed out" if isinstance(failed, TimeoutError) else str(failed)
            raise DownloadFailed(f"{shown}: {why}") from failed
        self.say(f"{shown}: {size_of(size)} in {time.monotonic() - began:.1f} s")
        return path

    def _receive(self, url: str, path: Path, stall: float, form: Mapping[str, str] | None) -> int:
        parts = urlsplit(url)
        progress = self._progress()
        with path.open("wb") as target:
            match parts.scheme:
                case "tftp":
                    server = self._resolve(parts.hostname or "")
                    file = unquote(parts.path).removeprefix("/")
                    patience = [part * stall / STALL_SECONDS for part in tftp.PATIENCE]
                    return tftp.receive(
                        server,
                        file,
                        target,
                        progress,
                        port=parts.port or tftp.PORT,
                        patience=patience,
                    )
                case "http" | "https":
                    from ingot.machine.firmware import web  # noqa: PLC0415 - slow to import

                    return web.receive(
                        url, target, progress, resolve=self._resolve, patience=stall, form=form
                    )
                case other:
                    raise ValueError(f"cannot fetch by {other!r}")

    def _resolve(self, name: str) -> str:
        return names.address_of(name, self.servers, self.domain)

    def _progress(self) -> Callable[[int, int | None], None]:
        told = time.monotonic()

        def progress(size: int, total: int | None) -> None:
            nonlocal told
            if time.monotonic() - told >= PROGRESS_SECONDS:
                told = time.monotonic()
                self.say(f"  {size_of(size)}" + (f" of {size_of(total)}" if total else ""))

        return progress


def without_password(url: str) -> str:
    """Return a URL that may be shown."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
