"""A folder as a cpio archive of the `newc` kind, which the kernel unpacks as its first root.

Written here and not by cpio(1): names are sorted, inode numbers are counted and times are fixed, so
that equal folders give equal archives, also on another machine or another file system.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ingot.debian.tree import EPOCH

__all__ = ["write_cpio"]

ALIGNMENT = 4
TRAILER = "TRAILER!!!"


def write_cpio(folder: Path, archive: Path) -> None:
    """Write everything below a folder; owners, modes, links and device nodes included."""
    numbers: dict[tuple[int, int], int] = {}
    with archive.open("wb") as out:
        _entry(out, ".", folder.lstat(), number=1)
        for path in _below(folder):
            facts = path.lstat()
            inode = (facts.st_dev, facts.st_ino)
            # Of several names of one file the first carries the content.
            repeated = inode in numbers
            number = numbers.setdefault(inode, len(numbers) + 2)
            name = path.relative_to(folder).as_posix()
            if stat.S_ISREG(facts.st_mode) and not repeated:
                _entry(out, name, facts, number=number, size=facts.st_size)
                with path.open("rb") as content:
                    shutil.copyfileobj(content, out)
                _pad(out)
            elif stat.S_ISLNK(facts.st_mode):
                target = os.fsencode(path.readlink())
                _entry(out, name, facts, number=number, size=len(target))
                out.write(target)
                _pad(out)
            else:
                _entry(out, name, facts, number=number)
        _header(out, TRAILER, (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        _pad(out)


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)


def _entry(out: BinaryIO, name: str, facts: os.stat_result, *, number: int, size: int = 0) -> None:
    node = stat.S_ISCHR(facts.st_mode) or stat.S_ISBLK(facts.st_mode)
    device = facts.st_rdev if node else 0
    links = facts.st_nlink if stat.S_ISREG(facts.st_mode) else 1
    _header(
        out,
        name,
        (
            number,
            facts.st_mode,
            facts.st_uid,
            facts.st_gid,
            links,
            EPOCH,
            size,
            0,
            0,
            os.major(device),
            os.minor(device),
        ),
    )


def _header(out: BinaryIO, name: str, numbers: tuple[int, ...]) -> None:
    encoded = os.fsencode(name) + b"\0"
    fields = "".join(f"{number:08x}" for number in (*numbers, len(encoded), 0))
    out.write(b"070701" + fields.encode() + encoded)
    _pad(out)


def _pad(out: BinaryIO) -> None:
    out.write(b"\0" * (-out.tell() % ALIGNMENT))
