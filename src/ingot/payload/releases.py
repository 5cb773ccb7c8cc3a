"""Binaries as their projects release them, each checked against the project's own checksums."""

from __future__ import annotations

import os
import posixpath
import shutil
import tarfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ingot.artefact.building import Workshop
from ingot.errors import ExitCode, IngotError
from ingot.payload.fetching import DownloadFailed, fetch_file, fetch_text

__all__ = ["Asset", "Release", "ReleaseUnreadable", "Site", "checksum_in", "fetch_release"]

PROBE_SECONDS = 3.0
SHA256_DIGITS = 64


class ReleaseUnreadable(IngotError):  # noqa: N818 - it says what was seen
    """A release has not the form that its project gives it."""

    exit_code = ExitCode.INFRASTRUCTURE


class Site(Enum):
    """Where projects put their releases; each can be replaced by a mirror of the same layout."""

    KUBERNETES = ("https://dl.k8s.io", "INGOT_KUBERNETES_RELEASES")
    GITHUB = ("https://github.com", "INGOT_GITHUB_RELEASES")

    @property
    def address(self) -> str:
        """What every path follows."""
        address, variable = self.value
        return os.environ.get(variable, address).rstrip("/")


_REACHABLE: dict[str, bool] = {}
"""What each site's address answered when it was asked, in this process."""


@dataclass(frozen=True)
class Asset:
    """One file of a release."""

    path: str
    """Below the site's address."""
    checksums: str
    """The path of the file that has its checksum."""
    members: Mapping[str, str]
    """Each file that is taken from it, with its path inside; empty for the asset itself."""


@dataclass(frozen=True)
class Release:
    """One version of a project, as it is released."""

    site: Site
    assets: Sequence[Asset]

    def reachable(self) -> bool:
        """Tell whether it can be had from here; asked once for each site, and for 3 s at most."""
        address = self.site.address
        if address not in _REACHABLE:
            _REACHABLE[address] = _answers(f"{address}/{self.assets[0].checksums}")
        return _REACHABLE[address]


def fetch_release(workshop: Workshop, release: Release) -> None:
    """Put the files of a release into the workshop's `out`.

    Raises:
        DownloadFailed, ChecksumMismatch: naming the file.
        ReleaseUnreadable: something that should be in it is not.
    """
    for asset in release.assets:
        url = f"{release.site.address}/{asset.path}"
        checksums = f"{release.site.address}/{asset.checksums}"
        sha256 = checksum_in(fetch_text(checksums), posixpath.basename(asset.path))
        if sha256 is None:
            raise ReleaseUnreadable(
                f"{checksums} has no SHA-256 of {posixpath.basename(asset.path)}",
                remedy="check the version in versions.toml, and the mirror if one is set; "
                "or build with --source modules",
            )
        file = workshop.scratch / posixpath.basename(asset.path)
        fetch_file(url, file, sha256=sha256, downloads=workshop.store.downloads, say=workshop.say)
        workshop.say(f"{file.name}: checksum is right")
        _take(file, asset.members, workshop.out, url)
        file.unlink(missing_ok=True)


def checksum_in(text: str, name: str) -> str | None:
    """Return the SHA-256 of a file from what a project publishes.

    Projects publish the bare digits, the output of `sha256sum`, or that of many files.
    """
    for line in text.splitlines():
        words = line.split()
        if not words or len(words[0]) != SHA256_DIGITS or not _is_hexadecimal(words[0]):
            continue
        if len(words) == 1 or posixpath.basename(words[-1].lstrip("*")) == name:
            return words[0].lower()
    return None


def _is_hexadecimal(word: str) -> bool:
    return set(word.lower()) <= set("0123456789abcdef")


def _take(file: Path, members: Mapping[str, str], out: Path, url: str) -> None:
    whole = [name for name, inside in members.items() if not inside]
    for name in whole:
        shutil.copyfile(file, out / name)
        (out / name).chmod(0o755)
    missing = {inside: name for name, inside in members.items() if inside}
    if not missing:
        return
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                inside = _wanted(member.name, missing)
                content = archive.extractfile(member) if inside else None
                if inside is None or content is None:
                    continue
                name = missing.pop(inside)
                with (out / name).open("wb") as target:
                    shutil.copyfileobj(content, target)
                (out / name).chmod(0o755)
    except (tarfile.TarError, EOFError, OSError) as unreadable:
        raise ReleaseUnreadable(
            f"{url} is not an archive that can be read: {unreadable}",
            remedy="build with --source modules",
        ) from unreadable
    if missing:
        raise ReleaseUnreadable(
            f"{url} does not contain {', '.join(sorted(missing))}",
            remedy="check the version in versions.toml, or build with --source modules",
        )


def _wanted(member: str, missing: Mapping[str, str]) -> str | None:
    # Some projects put everything into a folder with the version in its name.
    path = f"/{posixpath.normpath(member)}"
    return next((inside for inside in missing if path.endswith(f"/{inside}")), None)


def _answers(url: str) -> bool:
    answered = threading.Event()

    def ask() -> None:
        try:
            fetch_text(url, within=PROBE_SECONDS)
        except DownloadFailed:
            return
        answered.set()

    # A thread, because looking up a name has no time limit of its own.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(PROBE_SECONDS)
    return answered.is_set()
