"""Layers of container images: tars that come out the same whenever they are made.

An entry's place, owner, mode, content and extended attributes (a program's capabilities are one)
go in; its time, the names of its owner and the order it was found in do not. So equal trees give
equal layers, and a layer that two images have in common is one file.

Layers are not compressed. What that costs and saves was measured: docs/reference/images.md.
"""

from __future__ import annotations

import fnmatch
import hashlib
import io
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO

from ingot.artefact.store import file_digest
from ingot.debian.tree import EPOCH
from ingot.errors import IngotError

__all__ = ["Digest", "Layer", "Symlink", "layer_between", "layer_of_files", "layer_of_tar"]

Digest = str
"""`sha256:` and sixty-four hexadecimal digits."""

WHITEOUT = ".wh."
"""What the OCI image specification puts before the name of something a layer removes."""

ATTRIBUTE = "SCHILY.xattr."
"""What a tar puts before the name of an extended attribute."""

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer that has been written."""

    path: Path
    digest: Digest
    """Of the file; since it is not compressed, also what image configurations call its diff id."""
    size: int

    @classmethod
    def at(cls, path: Path) -> Layer:
        """Return the layer that a file is."""
        return cls(path, f"sha256:{file_digest(path)}", path.stat().st_size)


@dataclass(frozen=True, slots=True)
class Symlink:
    """A symbolic link to be placed in a layer."""

    target: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a layer says of one path."""

    kind: bytes
    mode: int
    uid: int = 0
    gid: int = 0
    linkname: str = ""
    device: tuple[int, int] = (0, 0)
    attributes: tuple[tuple[str, str], ...] = ()
    size: int = 0
    content: str = ""
    """Digest of a file's content."""
    together: tuple[str, ...] = ()
    """Every path of this file, where it has more than one."""
    source: Path | bytes | None = field(default=None, compare=False)
    """Where the content is: a file, or the bytes themselves."""
    offset: int = field(default=0, compare=False)
    """Where in the source it starts."""

    @property
    def is_folder(self) -> bool:
        return self.kind == tarfile.DIRTYPE


def layer_of_tar(tar: Path, to: Path, *, without: Sequence[str] = ()) -> Layer:
    """Write a layer with everything in a tar.

    Args:
        tar: any uncompressed tar.
        to: the file to write.
        without: patterns of paths to leave out, such as `var/log/*`.
    """
    return _write(_read(tar, without), to)


def layer_between(base: Path, full: Path, to: Path, *, without: Sequence[str] = ()) -> Layer:
    """Write the layer that makes one tree of another, going by content.

    Folders that lead to a changed path are repeated, so that the layer stands alone.

    Args:
        base: a tar of the tree that is there before.
        full: a tar of the tree that is wanted.
        to: the file to write.
        without: patterns of paths to leave out of both.
    """
    before, after = _read(base, without), _read(full, without)
    layer = {path: entry for path, entry in after.items() if before.get(path) != entry}
    for path in before.keys() - after.keys():
        place = PurePosixPath(path)
        parent = place.parent.as_posix()
        if parent == "." or (parent in after and after[parent].is_folder):
            layer[(place.parent / f"{WHITEOUT}{place.name}").as_posix()] = _file(b"", mode=0o644)
    for path in list(layer):
        for parent in _parents(path):
            layer.setdefault(parent, after[parent] if parent in after else _folder())
    return _write(layer, to)


def layer_of_files(
    files: Mapping[str, Path | bytes | Symlink],
    to: Path,
    *,
    mode: int = 0o755,
    folders: Mapping[str, int] | None = None,
) -> Layer:
    """Write a layer with chosen files, all owned by root.

    Args:
        files: each path in the image, with the file to copy, its content, or the link it is.
        to: the file to write.
        mode: what the files may be used for; programs by default.
        folders: folders that are wanted for themselves, with their modes.
    """
    layer: dict[str, _Entry] = {
        path: _Entry(tarfile.SYMTYPE, 0o777, linkname=content.target)
        if isinstance(content, Symlink)
        else _file(content, mode=mode)
        for path, content in files.items()
    }
    layer |= {path: _folder(mode) for path, mode in (folders or {}).items()}
    for path in list(layer):
        for parent in _parents(path):
            layer.setdefault(parent, _folder())
    return _write(layer, to)


def _folder(mode: int = 0o755) -> _Entry:
    return _Entry(tarfile.DIRTYPE, mode)


def _file(content: Path | bytes, *, mode: int) -> _Entry:
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    return _Entry(tarfile.REGTYPE, mode, size=size, source=content)


def _parents(path: str) -> Iterator[str]:
    """Return the folders above a path, without the root."""
    return (parent.as_posix() for parent in PurePosixPath(path).parents if parent.name)


def _read(tar: Path, without: Sequence[str]) -> dict[str, _Entry]:
    """Return what a tar says of each path."""
    entries: dict[str, _Entry] = {}
    links: dict[str, str] = {}
    with tarfile.open(tar, "r:") as archive:
        for member in archive:
            path = PurePosixPath(member.name.lstrip("/")).as_posix()
            if path == "." or any(fnmatch.fnmatchcase(path, pattern) for pattern in without):
                continue
            if PurePosixPath(path).name.startswith(WHITEOUT):
                raise IngotError(
                    f"{tar} has {path}, and in a layer such a name removes another file",
                    remedy=f"leave it out of the tree, or give it a name without {WHITEOUT}",
                )
            if member.islnk():
                links[path] = PurePosixPath(member.linkname.lstrip("/")).as_posix()
            else:
                entries[path] = _entry(archive, member, tar)
    return entries | _shared(entries, links, tar)


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo, tar: Path) -> _Entry:
    content = archive.extractfile(member) if member.isreg() else None
    return _Entry(
        kind=tarfile.REGTYPE if member.isreg() else member.type,
        mode=member.mode & 0o7777,
        uid=member.uid,
        gid=member.gid,
        linkname=member.linkname if member.issym() else "",
        device=(member.devmajor, member.devminor) if member.isdev() else (0, 0),
        attributes=tuple(
            sorted(
                (name, value)
                for name, value in member.pax_headers.items()
                if name.startswith(ATTRIBUTE)
            )
        ),
        size=member.size if content else 0,
        content=_digest(content) if content else "",
        source=tar if content else None,
        offset=member.offset_data,
    )


def _digest(content: IO[bytes]) -> str:
    # Not hashlib.file_digest: its types ask for more than a tar's member promises.
    total = hashlib.sha256()
    while chunk := content.read(CHUNK):
        total.update(chunk)
    return total.hexdigest()


def _shared(
    entries: Mapping[str, _Entry], links: Mapping[str, str], tar: Path
) -> dict[str, _Entry]:
    """Return the entries of files that have several paths, each knowing all of them."""
    groups: dict[str, set[str]] = defaultdict(set)
    for path, target in links.items():
        seen = {path}
        while target in links and target not in seen:
            seen.add(target)
            target = links[target]  # noqa: PLW2901 - a link may lead to a link
        if target not in entries:
            raise IngotError(
                f"{tar} has {path} as another name of {target}, which is not in it",
                remedy="leave out both or neither",
            )
        groups[target] |= {path, target}
    shared: dict[str, _Entry] = {}
    for target, paths in groups.items():
        together = tuple(sorted(paths, key=_order))
        entry = replace(entries[target], together=together)
        shared |= dict.fromkeys(together, entry)
    return shared


def _order(path: str) -> tuple[tuple[bool, str], ...]:
    """Sort folders before what is in them, and removals before their siblings."""
    return tuple((not part.startswith(WHITEOUT), part) for part in PurePosixPath(path).parts)


def _write(entries: Mapping[str, _Entry], to: Path) -> Layer:
    with to.open("wb") as file:
        out = _Hashing(file)
        for path in sorted(entries, key=_order):
            entry = entries[path]
            out.write(_header(path, entry))
            if entry.source is not None and entry.together[:1] in ((), (path,)):
                for chunk in _content(entry):
                    out.write(chunk)
                out.write(bytes(-entry.size % tarfile.BLOCKSIZE))
        out.write(bytes(2 * tarfile.BLOCKSIZE))
    return Layer(to, f"sha256:{out.digest}", out.size)


def _header(path: str, entry: _Entry) -> bytes:
    info = tarfile.TarInfo(path)
    info.type, info.mode, info.mtime = entry.kind, entry.mode, EPOCH
    info.uid, info.gid = entry.uid, entry.gid
    info.linkname, info.size = entry.linkname, entry.size
    info.devmajor, info.devminor = entry.device
    info.pax_headers = dict(entry.attributes)
    if entry.together and path != entry.together[0]:
        info.type, info.linkname, info.size = tarfile.LNKTYPE, entry.together[0], 0
        info.pax_headers = {}
    return info.tobuf(tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape")


def _content(entry: _Entry) -> Iterable[bytes]:
    if isinstance(entry.source, bytes):
        return [entry.source]
    if entry.source is None:
        return []
    return _read_chunks(entry.source, entry.offset, entry.size)


def _read_chunks(source: Path, offset: int, size: int) -> Iterator[bytes]:
    with source.open("rb") as file:
        file.seek(offset, io.SEEK_SET)
        while size > 0:
            chunk = file.read(min(CHUNK, size))
            if not chunk:
                raise IngotError(
                    f"{source} ended {size} bytes early", remedy="run the command again"
                )
            size -= len(chunk)
            yield chunk


class _Hashing:
    """Writes to a file and keeps the digest and the size of what was written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._total = hashlib.sha256()
        self.size = 0

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._total.update(chunk)
        self.size += len(chunk)

    @property
    def digest(self) -> str:
        return self._total.hexdigest()
