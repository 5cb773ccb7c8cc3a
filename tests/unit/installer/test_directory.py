"""An install directory is one command's at a time, and keeps nothing that nobody needs."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from ingot.installer.directory import DirectoryInUse, InstallDirectory


def test_nothing_of_ours_stays_where_nothing_was_made(tmp_path: Path) -> None:
    with InstallDirectory(tmp_path).held():
        assert (tmp_path / ".ingot/lock").exists()
    assert list(tmp_path.iterdir()) == []


def test_what_was_made_stays(tmp_path: Path) -> None:
    with InstallDirectory(tmp_path).held():
        (tmp_path / ".ingot/journal").touch()
    assert (tmp_path / ".ingot/journal").exists()


def test_a_second_command_is_told_of_the_first(tmp_path: Path) -> None:
    directory = InstallDirectory(tmp_path)
    with directory.held(), pytest.raises(DirectoryInUse, match="process"), directory.held():
        pass


def test_a_lock_that_was_removed_meanwhile_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / ".ingot/lock"
    real = fcntl.flock
    removed: list[bool] = []

    def flock(descriptor: int, operation: int) -> None:
        if not removed:
            lock.unlink()  # As who held it before does at its end.
            removed.append(True)
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    directory = InstallDirectory(tmp_path)
    with directory.held(), lock.open() as there, pytest.raises(BlockingIOError):
        real(there, fcntl.LOCK_EX | fcntl.LOCK_NB)
