"""The virtual drive of a host: what is in it, and how that got there."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from ingot.errors import IngotError
from ingot.lab.bmc.redfish.download import Download
from ingot.lab.bmc.redfish.nvram import Nvram, StoredMedia
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.lab.chassis import Chassis
from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.kind import FaultKind

__all__ = ["Insertion", "VirtualDrive"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """What a client wants in the drive."""

    url: str
    attached: bool = True
    write_protected: bool = True
    username: str = ""
    password: str = ""
    progress: Callable[[int, int | None], None] = lambda done, total: None  # noqa: ARG005


class VirtualDrive:
    """One drive; safe to use from any thread, though it does one thing at a time."""

    def __init__(self, chassis: Chassis, nvram: Nvram, *, faults: FaultBook, folder: Path) -> None:
        self._chassis = chassis
        self._nvram = nvram
        self._faults = faults
        self._folder = folder
        self._busy = threading.Lock()
        self._stopped = threading.Event()

    @property
    def media(self) -> StoredMedia | None:
        """What was put in last and not taken out."""
        return self._nvram.memory.media

    @property
    def is_attached(self) -> bool:
        """Whether the host has it: the chassis may have lost it, by a fault or another's hand."""
        media = self.media
        return media is not None and self._chassis.boot_settings().media == media.file

    def insert(self, wanted: Insertion) -> None:
        """Fetch an image and put it in, in place of what was there.

        Raises:
            Refused: it cannot be had, or the drive is busy. What was in before is then still in,
                unless the chassis failed.
        """
        self._begin()
        try:
            address = _split(wanted.url)
            # Some clients write the password into the address, which is shown to everyone.
            url = urlunsplit(address._replace(netloc=address.netloc.rpartition("@")[2]))
            file = self._folder / f"{secrets.token_hex(4)}.iso"
            self._folder.mkdir(parents=True, exist_ok=True)
            memory = self._nvram.memory
            Download(
                url=url,
                username=wanted.username or unquote(address.username or ""),
                password=wanted.password or unquote(address.password or ""),
                verify=memory.verify_media,
                trust=memory.media_certificate,
                breaks=self._faults.strikes(self._chassis.plan.name, FaultKind.ISO_CUT) is not None,
                stopped=self._stopped.is_set,
                progress=wanted.progress,
            ).fetch(file)
            self._replace(
                StoredMedia(
                    url=url,
                    name=PurePosixPath(unquote(address.path)).name or "image.iso",
                    file=file,
                    write_protected=wanted.write_protected,
                    username=wanted.username,
                ),
                attached=wanted.attached,
            )
        finally:
            self._busy.release()

    def eject(self) -> None:
        """Empty the drive; nothing where it is empty.

        Raises:
            Refused: something is being fetched.
        """
        self._begin()
        try:
            self._empty()
        finally:
            self._busy.release()

    def tidy(self) -> None:
        """Remove what nobody knows of any more, as after a download that was killed."""
        used = {self._chassis.boot_settings().media, self.media and self.media.file}
        for file in self._folder.glob("*"):
            if file not in used:
                file.unlink()

    def stop(self) -> None:
        """Break off what is being fetched."""
        self._stopped.set()

    def _begin(self) -> None:
        if not self._busy.acquire(blocking=False):
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "the drive is busy with another image",
                message_id="ServiceTemporarilyUnavailable",
                headers={"Retry-After": "3"},
            )

    def _replace(self, media: StoredMedia, *, attached: bool) -> None:
        self._empty()
        try:
            if attached:
                self._chassis.insert_media(media.file)
        except IngotError:
            media.file.unlink(missing_ok=True)
            raise
        self._nvram.remember(media=media)
        _LOG.info("%s: %s is in the drive", self._chassis.plan.name, media.name)

    def _empty(self) -> None:
        media = self.media
        if self._chassis.boot_settings().media is not None:
            self._chassis.eject_media()
        self._nvram.remember(media=None)
        if media is not None:
            # A host that has it open keeps it until it lets go.
            media.file.unlink(missing_ok=True)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as e:
        raise Refused(HTTPStatus.BAD_REQUEST, f"the image's address is wrong: {e}") from e
