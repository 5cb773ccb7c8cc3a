"""Equal folders give equal archives, with all that a root is made of."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingot.debian.tree import EPOCH
from ingot.osimage.cpio import write_cpio


@dataclass(frozen=True)
class Entry:
    """One member of a `newc` archive, as the kernel's documentation describes it."""

    number: int
    mode: int
    links: int
    time: int
    content: bytes


def read(archive: Path) -> dict[str, Entry]:
    data = archive.read_bytes()
    found: dict[str, Entry] = {}
    at = 0
    while True:
        assert data[at : at + 6] == b"070701"
        numbers = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        number, mode, _, _, links, time, size = numbers[:7]
        name_size = numbers[11]
        name = data[at + 110 : at + 110 + name_size - 1].decode()
        start = -(-(at + 110 + name_size) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = Entry(number, mode, links, time, data[start : start + size])
        at = -(-(start + size) // 4) * 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    (made / "etc").mkdir(parents=True)
    (made / "etc/hostname").write_text("agent\n", encoding="utf-8")
    (made / "init").symlink_to("usr/lib/systemd/systemd")
    return made


def archive_of(folder: Path) -> Path:
    archive = folder.with_suffix(".cpio")
    write_cpio(folder, archive)
    return archive


def test_files_and_links_are_there(folder: Path) -> None:
    entries = read(archive_of(folder))
    assert list(entries) == [".", "etc", "etc/hostname", "init"]
    assert entries["etc/hostname"].content == b"agent\n"
    assert entries["init"].content == b"usr/lib/systemd/systemd"


def test_modes_are_kept(folder: Path) -> None:
    (folder / "etc/hostname").chmod(0o4751)
    assert read(archive_of(folder))["etc/hostname"].mode == 0o104751


def test_second_name_of_a_file_has_no_content(folder: Path) -> None:
    (folder / "etc/name").hardlink_to(folder / "etc/hostname")
    entries = read(archive_of(folder))
    first, second = entries["etc/hostname"], entries["etc/name"]
    assert first.number == second.number
    assert (first.links, second.links) == (2, 2)
    assert (first.content, second.content) == (b"agent\n", b"")


def test_time_of_files_does_not_matter(folder: Path) -> None:
    before = archive_of(folder).read_bytes()
    os.utime(folder / "etc/hostname", (1, 1))
    assert archive_of(folder).read_bytes() == before
    assert {entry.time for entry in read(archive_of(folder)).values()} == {EPOCH}


def test_order_of_making_does_not_matter(tmp_path: Path) -> None:
    names = ["b", "a", "c"]
    archives = []
    for order in (names, sorted(names)):
        folder = tmp_path / "".join(order)
        folder.mkdir()
        for name in order:
            (folder / name).write_text(name, encoding="utf-8")
        archives.append(archive_of(folder).read_bytes())
    assert archives[0] == archives[1]


def test_archive_ends_where_another_may_start(folder: Path) -> None:
    assert archive_of(folder).stat().st_size % 4 == 0
