"""Folders in and out of tar files, so that equal folders give equal files."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

__all__ = ["EPOCH", "Runner", "pack", "unpack"]

EPOCH = 1_767_225_600
"""The time stamp of everything that is built: 1 January 2026, so that results do not differ by
when they were made."""


class Runner(Protocol):
    """What runs a program: a workshop."""

    def run(self, *command: str | Path, cwd: Path | None = None) -> str:
        """Run a program to its end."""


def unpack(runner: Runner, tar: Path, folder: Path) -> None:
    """Unpack a tar with owners, modes, capabilities and all."""
    folder.mkdir(parents=True, exist_ok=True)
    runner.run(
        "tar", "--extract", "--file", tar, "--directory", folder,
        "--numeric-owner", "--preserve-permissions", "--same-owner",
        "--xattrs", "--xattrs-include=*",
    )  # fmt: skip


def pack(runner: Runner, folder: Path, tar: Path) -> None:
    """Pack a folder; order, owners and times do not depend on when or where."""
    runner.run(
        "tar", "--create", "--file", tar, "--directory", folder,
        "--sort=name", f"--mtime=@{EPOCH}", "--clamp-mtime", "--numeric-owner",
        "--format=posix", "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
        "--xattrs", "--xattrs-include=security.capability",
        ".",
    )  # fmt: skip
