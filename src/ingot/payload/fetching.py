"""Files from the network: resumed where they broke off, and checked before they are used.

A download is kept under its checksum until it is whole, so a broken connection or a killed process
costs only what was not there yet. A file whose checksum is wrong is thrown away.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from ingot import __version__
from ingot.artefact.store import file_digest
from ingot.errors import ExitCode, IngotError

__all__ = ["ChecksumMismatch", "DownloadFailed", "fetch_file", "fetch_text", "forget_unfinished"]

SILENCE_SECONDS = 15.0
"""How long a server may say nothing, when connecting and at any time after."""

ATTEMPTS = 3
CHUNK = 1 << 20
MEGABYTE = 1_000_000
REPORT_SECONDS = 1.0
TEXT_LIMIT = 1 << 20
"""A file of checksums is a few hundred bytes; a whole page of something else is not one."""

FORGOTTEN_AFTER_SECONDS = 24 * 3600.0
"""A download that nobody went on with for so long is not under way."""

RANGE_IS_PAST_THE_END = 416
PARTIAL_CONTENT = 206
FIRST_SERVER_ERROR = 500

REMEDY = (
    "check the network and its proxy settings, then run the command again: it continues where it "
    "stopped; or build from Go modules with --source modules"
)


class DownloadFailed(IngotError):  # noqa: N818 - it says what happened
    """A file could not be had.

    Attributes:
        url: where it was asked for.
        lasting: whether asking again would give the same answer.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, url: str, why: str, *, lasting: bool = False) -> None:
        super().__init__(f"{url} could not be downloaded: {why}", remedy=REMEDY)
        self.url = url
        self.lasting = lasting


class ChecksumMismatch(IngotError):  # noqa: N818 - it says what was seen
    """A file is not what its project says it is."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, url: str, *, expected: str, seen: str) -> None:
        super().__init__(
            f"{url} has the SHA-256 {seen}, and its project says {expected}",
            remedy="the file was thrown away; run the command again, and if it happens again look "
            "for a proxy or mirror that alters files, or build with --source modules",
        )


def fetch_text(url: str, *, within: float = SILENCE_SECONDS) -> str:
    """Return a small text file.

    Raises:
        DownloadFailed: it cannot be had.
    """
    with _open(url, within=within) as answer:
        try:
            return answer.read(TEXT_LIMIT).decode("utf-8", "replace")
        except (OSError, HTTPException) as broken:
            raise DownloadFailed(url, _reason(broken)) from broken


def fetch_file(
    url: str, place: Path, *, sha256: str, downloads: Path, say: Callable[[str], None]
) -> None:
    """Download a file to a place, whole and checked.

    Args:
        url: where it is.
        place: where it goes, on the same file system as `downloads`.
        sha256: its checksum.
        downloads: where an unfinished download waits for the next attempt.
        say: told how far it is, and why it is tried again.

    Raises:
        DownloadFailed: it cannot be had; what came is kept for the next attempt.
        ChecksumMismatch: it is not what was promised; nothing of it is kept.
    """
    part = downloads / f"{sha256}.part"
    resumed = part.exists()
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _append_rest(url, part, say)
        except DownloadFailed as failed:
            if failed.lasting or attempt == ATTEMPTS:
                raise
            say(f"{failed.what}; trying again, {attempt + 1} of {ATTEMPTS}")
            resumed = True
            continue
        seen = file_digest(part)
        if seen == sha256:
            part.rename(place)
            return
        part.unlink()
        if not resumed or attempt == ATTEMPTS:
            raise ChecksumMismatch(url, expected=sha256, seen=seen)
        say(f"{url} did not fit to what was there before; starting over")
        resumed = False


def forget_unfinished(downloads: Path) -> int:
    """Remove downloads that broke off a day ago or more, and return how many bytes they held."""
    freed = 0
    for part in downloads.glob("*.part") if downloads.is_dir() else ():
        facts = part.stat()
        if time.time() - facts.st_mtime > FORGOTTEN_AFTER_SECONDS:
            part.unlink()
            freed += facts.st_size
    return freed


def _append_rest(url: str, part: Path, say: Callable[[str], None]) -> None:
    have = part.stat().st_size if part.exists() else 0
    try:
        answer = _open(url, start=have)
    except DownloadFailed as failed:
        cause = failed.__cause__
        if isinstance(cause, HTTPError) and cause.code == RANGE_IS_PAST_THE_END:
            return  # All of it is there; its checksum decides.
        raise
    with answer:
        continues = answer.status == PARTIAL_CONTENT
        start = have if continues else 0
        length = answer.headers.get("Content-Length")
        total = start + int(length) if length else None
        with part.open("ab" if continues else "wb") as file:
            _copy(url, answer, file, total, say)
            size = file.tell()
    if total is not None and size < total:
        raise DownloadFailed(url, f"it ended after {size} of {total} bytes")


def _copy(
    url: str, answer: HTTPResponse, file: IO[bytes], total: int | None, say: Callable[[str], None]
) -> None:
    name = urlsplit(url).path.rpartition("/")[2]
    whole = f" of {total / MEGABYTE:.0f}" if total else ""
    due = time.monotonic()
    try:
        while chunk := answer.read1(CHUNK):
            file.write(chunk)
            if time.monotonic() >= due:
                say(f"{name}: {file.tell() / MEGABYTE:.0f}{whole} MB")
                due = time.monotonic() + REPORT_SECONDS
    except (OSError, HTTPException) as broken:
        raise DownloadFailed(url, _reason(broken)) from broken


def _open(url: str, *, start: int = 0, within: float = SILENCE_SECONDS) -> HTTPResponse:
    if urlsplit(url).scheme not in ("http", "https"):
        raise DownloadFailed(url, "it is not an http or https address", lasting=True)
    headers = {"User-Agent": f"ingot/{__version__}", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        answer: HTTPResponse = urlopen(Request(url, headers=headers), timeout=within)  # noqa: S310 - the scheme is checked above
    except HTTPError as refused:
        lasting = refused.code < FIRST_SERVER_ERROR
        refused.close()
        raise DownloadFailed(
            url, f"the server answered {refused.code} {refused.reason}", lasting=lasting
        ) from refused
    except (OSError, HTTPException) as broken:
        raise DownloadFailed(url, _reason(broken)) from broken
    return answer


def _reason(broken: Exception) -> str:
    if isinstance(broken, URLError) and isinstance(broken.reason, Exception):
        return _reason(broken.reason)
    if isinstance(broken, TimeoutError):
        return f"no answer within {SILENCE_SECONDS:.0f} seconds"
    if isinstance(broken, OSError) and broken.strerror:
        return broken.strerror
    return str(broken) or type(broken).__name__
