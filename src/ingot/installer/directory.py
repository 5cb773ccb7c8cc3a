"""The install directory: one cluster's files, for its owner alone, and for one command at a time.

It is made with mode 0700. One that is there already keeps its mode, as it may be anything, such as
a home directory; what we make in it is for its owner alone all the same.

Files are written to a folder beside first, all of them, and then renamed into their places. So a
full disk is noticed before anything is changed, and a file is never half of one.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from ingot.assets.graph.files import Files, is_at
from ingot.assets.graph.making import Outcome
from ingot.assets.graph.state import State
from ingot.assets.graph.storing import NewerState, StateDamaged, decoded, encoded
from ingot.errors import ExitCode, IngotError
from ingot.installer.journal import VM, InstallJournal

__all__ = ["DirectoryInUse", "DirectoryUnusable", "InstallDirectory", "StateUnusable"]

PRIVATE_FOLDER: Final = 0o700
PRIVATE_FILE: Final = 0o600
MAX_BYTES: Final = 16 * 1024 * 1024
"""Far more than any manifest is; a config drive has 64 MiB."""
SHOWN_BYTES: Final = 400
"""Of the command that is at work."""


class DirectoryUnusable(IngotError):  # noqa: N818 - it says what was seen
    """The install directory, or something in it, cannot be read or written."""

    exit_code = ExitCode.INFRASTRUCTURE


class DirectoryInUse(IngotError):  # noqa: N818 - it says what was seen
    """Another command works in the directory."""


class StateUnusable(IngotError):  # noqa: N818 - it says what was seen
    """What an earlier command remembered cannot be read."""


@dataclass(frozen=True, slots=True)
class InstallDirectory:
    """The directory of one cluster.

    Attributes:
        path: where it is.
    """

    path: Path

    @property
    def config_file(self) -> Path:
        """What the user asks for."""
        return self.path / "install-config.yaml"

    @property
    def hidden(self) -> Path:
        """What is ours alone."""
        return self.path / ".ingot"

    @property
    def journal(self) -> Path:
        """What the creation of the cluster has done so far."""
        return self.hidden / "journal"

    @property
    def state_file(self) -> Path:
        """What is remembered of assets."""
        return self.hidden / "state" / "assets.json"

    @property
    def has_begun(self) -> bool:
        """Whether machines are being made from what is here: then it must not change."""
        return any(entry.what == VM for entry in InstallJournal(self.journal).entries())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the only command that works in the directory; it is made if it is not there.

        Raises:
            DirectoryInUse: another one does.
            DirectoryUnusable: it cannot be made, or anybody may write to it.
        """
        descriptor = self._opened_lock()
        try:
            with suppress(OSError):  # It is only told to others; the disk may be full.
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"process {os.getpid()} (`{_command()}`)".encode(), 0)
            yield
            os.ftruncate(descriptor, 0)
            self._remove_if_empty()
        finally:
            os.close(descriptor)

    def _opened_lock(self) -> int:
        """Return the lock, held by us. One that was removed while we waited for it is none."""
        while True:
            with self._failing(self._lock):
                self.path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
                self._check_owner()
                self.hidden.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
                try:
                    self.hidden.chmod(PRIVATE_FOLDER)
                    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                    descriptor = os.open(self._lock, flags, PRIVATE_FILE)
                except FileNotFoundError:  # Who held it has just taken the folder away.
                    continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                who = os.pread(descriptor, SHOWN_BYTES, 0).decode(errors="replace").strip()
                os.close(descriptor)
                raise DirectoryInUse(
                    f"{who or 'another command'} is at work in {self.path}",
                    remedy="wait until it has ended, or choose another --dir",
                ) from None
            if os.fstat(descriptor).st_nlink:
                return descriptor
            os.close(descriptor)

    def _remove_if_empty(self) -> None:
        """Leave nothing of ours where there is nothing to remember."""
        with suppress(OSError):  # It stays, or somebody else begins in this moment.
            if list(self.hidden.iterdir()) == [self._lock]:
                self._lock.unlink()
                self.hidden.rmdir()

    @property
    def _lock(self) -> Path:
        return self.hidden / "lock"

    def state(self) -> State:
        """Return what was remembered; an empty state if there is none yet.

        Raises:
            StateUnusable: it is damaged, or of a later version.
            DirectoryUnusable: it cannot be read.
        """
        try:
            return decoded(self.state_file.read_bytes())
        except FileNotFoundError:
            return State()
        except OSError as refused:
            raise _unreadable(self.state_file, refused) from refused
        except NewerState as newer:
            raise StateUnusable(
                f"{self.state_file} was written by a later version of Ingot: {newer}",
                remedy="use that version in this directory",
            ) from newer
        except StateDamaged as damaged:
            raise StateUnusable(
                f"{self.state_file} is damaged: {damaged}",
                remedy="put it back from a backup; or, as long as no cluster was made from it, "
                "remove it, and the folders tls, auth and hosts with it: they are made anew",
            ) from damaged

    def found(self, places: Iterable[str]) -> Files:
        """Return the files that are at some places; a `*` stands for a part of one name.

        Raises:
            DirectoryUnusable: one cannot be read, or is too large to be one of ours.
        """
        wanted = tuple(places)
        folders = {PurePosixPath(place).parent for place in wanted}
        files = {}
        for folder in sorted(folders):
            for path in self._listed(self.path / folder):
                name = (folder / path.name).as_posix()
                if is_at(name, wanted):
                    files[name] = _content(path)
        return files

    def unused(self, places: Iterable[str]) -> list[str]:
        """Return the files that a person may take to be used and that are at none of the places.

        Folders that have a place with a `*` are looked at; hidden files are nobody's mistake.
        """
        wanted = tuple(places)
        folders = {PurePosixPath(place).parent for place in wanted if "*" in place}
        names = [
            (folder / path.name).as_posix()
            for folder in sorted(folders)
            for path in self._listed(self.path / folder, regular=False)
            if not path.name.startswith(".")
        ]
        return [name for name in names if not is_at(name, wanted)]

    def settle(self, outcome: Outcome) -> None:
        """Write what came of making a target, and remember it.

        Raises:
            DirectoryUnusable: there is no room, or it may not be written.
        """
        staging = self.hidden / "staging"
        with self._failing(self.path):
            shutil.rmtree(staging, ignore_errors=True)
            try:
                staged = [
                    (self._staged(staging / str(number), content), self.path / name)
                    for number, (name, content) in enumerate(sorted(outcome.writes.items()))
                ]
                for _, place in staged:
                    place.parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
                self._remember(outcome.before)
                for fresh, place in staged:
                    fresh.replace(place)
                for name in outcome.removes:
                    (self.path / name).unlink(missing_ok=True)
                for folder in sorted({place.parent for _, place in staged}):
                    _sync(folder)
                self._remember(outcome.after)
            finally:
                shutil.rmtree(staging, ignore_errors=True)

    def keep(self, name: str, content: bytes) -> None:
        """Write down what only we read, and only its owner may.

        Raises:
            DirectoryUnusable: there is no room, or it may not be written.
        """
        with self._failing(self.hidden):
            self._replace(self.hidden / name, content)

    def _remember(self, state: State) -> None:
        self.state_file.parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        self.state_file.parent.chmod(PRIVATE_FOLDER)
        self._replace(self.state_file, encoded(state))

    def _replace(self, path: Path, content: bytes) -> None:
        fresh = path.with_suffix(".new")
        try:
            self._staged(fresh, content).replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        _sync(path.parent)

    def _staged(self, path: Path, content: bytes) -> Path:
        path.parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, PRIVATE_FILE), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return path

    def _listed(self, folder: Path, *, regular: bool = True) -> list[Path]:
        try:
            return sorted(path for path in folder.iterdir() if path.is_file() or not regular)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as refused:
            raise _unreadable(folder, refused) from refused

    def _check_owner(self) -> None:
        if self.path.stat().st_mode & stat.S_IWOTH:
            raise DirectoryUnusable(
                f"everybody may write to {self.path}, and an install has secrets",
                remedy=f"choose another --dir, or `chmod o-w {shlex.quote(str(self.path))}`",
            )

    @contextmanager
    def _failing(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as refused:
            named = refused.filename or path
            raise DirectoryUnusable(
                f"{named} cannot be written: {refused.strerror}",
                remedy="make room or make it yours, and run the same command again; or choose "
                "another --dir",
            ) from refused


def _command() -> str:
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as refused:
        raise _unreadable(path, refused) from refused
    if len(content) > MAX_BYTES:
        raise DirectoryUnusable(
            f"{path} has more than {MAX_BYTES // 1024**2} MiB", remedy="move it elsewhere"
        )
    return content


def _unreadable(path: Path, refused: OSError) -> DirectoryUnusable:
    return DirectoryUnusable(
        f"{path} cannot be read: {refused.strerror}", remedy="make it yours, or move it elsewhere"
    )


def _sync(folder: Path) -> None:
    """Have renames in a folder survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
