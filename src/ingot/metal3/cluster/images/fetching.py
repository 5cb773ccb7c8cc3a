"""One file, from one source: gone on with where it was, and checked as a whole.

Blocks of zeros are left out, so a disk image takes no more room than at its source. What has come
is read again after an interruption, since only the checksum of all of it counts.

etcd is on the same disk, and waits for it with every write. So what has come is brought to the disk
little by little, and never left to the kernel to write out in one go.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import IO, Final

from ingot.errors import ExitCode, IngotError

__all__ = ["FetchError", "NoRoomError", "fetched"]

BLOCK: Final = 1 << 20
SILENCE_SECONDS: Final = 60.0
"""How long a source may say nothing."""
AT_ONCE: Final = 32 << 20
"""Bytes that wait to be written."""
RESERVE: Final = 2 << 30
"""Bytes that a node needs for itself: with less, kubelet begins to clear pods away."""


class FetchError(IngotError):
    """A source did not give what it was asked for; another may."""

    exit_code = ExitCode.INFRASTRUCTURE


class NoRoomError(IngotError):
    """The node's disk is too full; no source helps."""

    exit_code = ExitCode.INFRASTRUCTURE


def fetched(
    url: str,
    path: Path,
    *,
    sha256: str,
    say: Callable[[str], None],
    reserve: int = RESERVE,
) -> None:
    """Have a file, whole and right; nothing where it is.

    Args:
        url: where it comes from.
        path: where it goes. What is there already is gone on with.
        sha256: what it has to be.
        say: told what goes on.
        reserve: bytes that have to stay free.

    Raises:
        FetchError: it did not come, or is another one; that one is removed.
        NoRoomError: there is no room for it.
    """
    digest = hashlib.sha256()
    with path.open("r+b" if path.exists() else "w+b") as file:
        for block in _blocks(file):
            digest.update(block)
        if file.tell() and digest.hexdigest() == sha256:
            return
        begin = file.tell()
        try:
            _copy(url, file, digest.update, begin, say=say, reserve=reserve)
        except (OSError, http.client.HTTPException) as error:
            raise FetchError(
                f"{url} did not come: {error}", remedy="it is tried again, and elsewhere"
            ) from error
        finally:
            file.truncate()  # what ends with zeros was not written to its end
        file.flush()
        os.fsync(file.fileno())
    if digest.hexdigest() != sha256:
        path.unlink()
        raise FetchError(
            f"{url} has another checksum: {digest.hexdigest()}, and not {sha256}",
            remedy="it is tried elsewhere; see who serves another image there",
        )
    say(f"{path.name} is here")


def _copy(
    url: str,
    file: IO[bytes],
    heard: Callable[[bytes], None],
    begin: int,
    *,
    say: Callable[[str], None],
    reserve: int,
) -> None:
    request = urllib.request.Request(url)  # noqa: S310 - the controller names http alone
    if begin:
        request.add_header("Range", f"bytes={begin}-")
    try:
        answer = urllib.request.urlopen(request, timeout=SILENCE_SECONDS)  # noqa: S310
    except urllib.error.HTTPError as refused:
        refused.close()
        if begin and refused.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            file.seek(0)  # More is here than there: the checksum tells, and it is begun anew.
            return
        raise
    with answer:
        if begin and answer.status != HTTPStatus.PARTIAL_CONTENT:
            raise FetchError(
                f"{url} cannot be gone on with", remedy="have it served by a server that can"
            )
        length = int(answer.headers.get("Content-Length") or 0)
        _see_room(file, length, reserve)
        say(f"{url}: {length >> 20} MiB{f' after {begin >> 20}' if begin else ''}")
        came = 0
        while block := answer.read(BLOCK):
            heard(block)
            came += len(block)
            if block.count(0) == len(block):
                file.seek(len(block), os.SEEK_CUR)
            else:
                file.write(block)
            if came % AT_ONCE < len(block):
                _written_out(file)
    if came < length:
        raise FetchError(
            f"{url} ended after {came} of {length} bytes", remedy="it is gone on with from there"
        )


def _written_out(file: IO[bytes]) -> None:
    file.flush()
    os.fdatasync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _see_room(file: IO[bytes], needed: int, reserve: int) -> None:
    free = shutil.disk_usage(Path(file.name).parent).free
    if free < needed + reserve:
        raise NoRoomError(
            f"the image needs {needed >> 20} MiB, and {free >> 20} MiB are free, of which"
            f" {reserve >> 20} are the node's",
            remedy="make room on the node's disk, or give it a larger one",
        )
