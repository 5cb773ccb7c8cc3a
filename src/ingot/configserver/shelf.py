"""The files that are served from, each read again when it is another one.

A file that has become unusable does not take the place of the one that was read: the server goes
on with that, and says so once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

from ingot.configserver import ignition, roster
from ingot.configserver.ignition import Config
from ingot.configserver.role import Role
from ingot.configserver.roster import Roster
from ingot.errors import IngotError

__all__ = ["Shelf", "UnreadableFile"]

log = logging.getLogger(__name__)

T = TypeVar("T")
HOSTS: Final = "hosts.json"


class UnreadableFile(IngotError):  # noqa: N818 - it names what was seen
    """A file is not there, or cannot be read."""


@dataclass(slots=True)
class _Watched(Generic[T]):
    path: Path
    parse: Callable[[str], T]
    _mark: tuple[int, ...] = ()
    _read: T | None = None

    def current(self) -> T:
        mark = _mark(self.path)
        if self._read is not None and mark == self._mark:
            return self._read
        try:
            found = self.parse(_text(self.path))
        except IngotError as error:
            if self._read is None:
                raise
            log.warning("%s; what it said before stays in use: %s", error.what, error.remedy)
        else:
            if self._read is not None:
                log.info("%s has changed, and was read again", self.path)
            self._read = found
        self._mark = mark
        return self._read


@dataclass(slots=True)
class Shelf:
    """The folder with the roles' configs and the list of hosts.

    Attributes:
        folder: where they are.
    """

    folder: Path
    _hosts: _Watched[Roster] = field(init=False)
    _roles: dict[Role, _Watched[Config]] = field(init=False)

    def __post_init__(self) -> None:
        hosts = self.folder / HOSTS
        self._hosts = _Watched(hosts, lambda text: roster.parse(text, source=str(hosts)))
        self._roles = {role: _role(self.folder / role.file_name) for role in Role}

    def roster(self) -> Roster:
        """Return who may ask.

        Raises:
            RosterError: the list cannot be used, and never could.
            UnreadableFile: it cannot be read.
        """
        return self._hosts.current()

    def config(self, role: Role) -> Config:
        """Return what all hosts of a role get.

        Raises:
            ConfigError: the config cannot be used, and never could.
            UnreadableFile: it cannot be read.
        """
        return self._roles[role].current()


def _role(path: Path) -> _Watched[Config]:
    return _Watched(path, lambda text: ignition.parse(text, source=str(path)))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(
            f"{path} cannot be read: {error}", remedy="put the file there, as text"
        ) from error


def _mark(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_ino, found.st_size
