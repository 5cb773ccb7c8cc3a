"""The processes of a node as one: a control group, in which they are frozen, ended and starved.

Freezing and ending are the unified hierarchy's own and need no controller. How much processor a
group gets is said there too where the controller is to be had, and otherwise in the older
hierarchy beside it. Either is used only while a group is limited: groups share a processor among
them, and a site would get less of it than its processes would by themselves.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.e2e.site import eventually

PERIOD_MICROSECONDS = 100_000
SETTLES_WITHIN = 10.0

REAL_TIME_SHARE = 0.05
REAL_TIME_PERIOD_MICROSECONDS = 1_000_000
STARVED_TOGETHER = 3
"""What runs in real time is not bound by the share of the others. The older hierarchy knows a share
of its own for it, and takes none of it in without one; so a group has this. How many groups of a
site may have it at the same time is limited, as all sites together have less than one processor."""


class NoControlGroups(Exception):  # noqa: N818 - it names what is not there
    """This machine has not the control groups that a site needs."""


@dataclass(frozen=True)
class Group:
    """A control group, in one hierarchy or in two.

    Attributes:
        site: whose it is.
        name: unlike all others of the site.
    """

    site: str
    name: str

    @classmethod
    def made(cls, site: str, name: str) -> Group:
        """Make a group among those of a site."""
        group = cls(site, name)
        group.folder.mkdir(parents=True)
        return group

    @property
    def folder(self) -> Path:
        return unified() / self.site / self.name

    @property
    def joining(self) -> tuple[Path, ...]:
        """The files to which a process writes its id to be in this group."""
        folders = (self.folder, self._older)
        return tuple(path / "cgroup.procs" for path in folders if path and path.exists())

    @property
    def pids(self) -> tuple[int, ...]:
        return _pids(self.folder)

    def freeze(self) -> None:
        """Let none of its processes run; it is so when this returns."""
        (self.folder / "cgroup.freeze").write_text("1")
        eventually(lambda: self._is("frozen"), within=SETTLES_WITHIN, every=0.001)

    def thaw(self) -> None:
        """Let them go on."""
        (self.folder / "cgroup.freeze").write_text("0")

    def end(self) -> None:
        """End all its processes at once, as a power cut does."""
        (self.folder / "cgroup.kill").write_text("1")
        eventually(lambda: not self._is("populated"), within=SETTLES_WITHIN, every=0.002)

    def limit(self, share: float) -> None:
        """Give it that share of one processor, from 0 to 1."""
        quota = round(share * PERIOD_MICROSECONDS)
        if self._older is None:
            for above in (unified(), unified() / self.site):
                with suppress(OSError):  # It is seen below whether that was allowed.
                    (above / "cgroup.subtree_control").write_text("+cpu")
            if not (self.folder / "cpu.max").exists():
                raise NoControlGroups("there is no cpu controller here, in neither hierarchy")
            (self.folder / "cpu.max").write_text(f"{quota} {PERIOD_MICROSECONDS}")
            return
        self._older.mkdir(parents=True, exist_ok=True)
        (self._older / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
        (self._older / "cpu.cfs_quota_us").write_text(str(quota))
        real_time = round(REAL_TIME_SHARE * REAL_TIME_PERIOD_MICROSECONDS)
        for folder, most in ((self._older.parent, STARVED_TOGETHER), (self._older, 1)):
            with suppress(OSError):  # The kernel may know no limit for what runs in real time.
                (folder / "cpu.rt_period_us").write_text(str(REAL_TIME_PERIOD_MICROSECONDS))
                (folder / "cpu.rt_runtime_us").write_text(str(most * real_time))
        _move(self.folder, self._older)

    def unlimit(self) -> None:
        """Give it as much as it wants."""
        if (self.folder / "cpu.max").exists():
            (self.folder / "cpu.max").write_text("max")
        home = older_processor()
        if home and self._older and self._older.exists():
            (self._older / "cpu.cfs_quota_us").write_text("-1")
            _move(self._older, home)
            _remove(self._older)

    def remove(self) -> None:
        """End all its processes, and be no more."""
        self.end()
        self.unlimit()
        _remove(self.folder)

    @property
    def _older(self) -> Path | None:
        home = older_processor()
        return home / self.site / self.name if home else None

    def _is(self, what: str) -> bool:
        return f"{what} 1" in (self.folder / "cgroup.events").read_text()


def remove_groups(site: str) -> None:
    """End all processes of a site, and remove its groups."""
    for top in _tops():
        above = top / site
        if (above / "cgroup.kill").exists():
            (above / "cgroup.kill").write_text("1")
        if above.exists():
            for folder in (*(path for path in above.iterdir() if path.is_dir()), above):
                _remove(folder)


def groups_of(prefix: str) -> Iterator[str]:
    """Yield the sites that have groups."""
    for top in _tops():
        yield from (path.name for path in top.glob(f"{prefix}*") if path.is_dir())


@cache
def unified() -> Path:
    """Return where the unified hierarchy is."""
    for where, kind, _ in _mounts():
        if kind == "cgroup2":
            return Path(where)
    raise NoControlGroups("no cgroup2 is mounted: mount -t cgroup2 none /sys/fs/cgroup/unified")


@cache
def older_processor() -> Path | None:
    """Return where we are in the older hierarchy of the cpu controller, if that is in use."""
    for where, kind, options in _mounts():
        if kind == "cgroup" and "cpu" in options.split(","):
            for line in Path("/proc/self/cgroup").read_text().splitlines():
                _, controllers, path = line.split(":", 2)
                if "cpu" in controllers.split(","):
                    return Path(where) / path.lstrip("/")
    return None


def _tops() -> tuple[Path, ...]:
    return tuple(filter(None, (unified(), older_processor())))


def _mounts() -> Iterator[tuple[str, str, str]]:
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, where, kind, options, *_ = line.split()
        yield where, kind, options


def _pids(folder: Path) -> tuple[int, ...]:
    return tuple(map(int, (folder / "cgroup.procs").read_text().split()))


def _move(source: Path, target: Path) -> None:
    """Move all processes; those too that are born meanwhile."""

    def is_done() -> bool:
        left = set(_pids(source)) - set(_pids(target))
        for pid in left:
            with suppress(ProcessLookupError):
                (target / "cgroup.procs").write_text(str(pid))
        return not left

    eventually(is_done, within=SETTLES_WITHIN, every=0.001)


def _remove(folder: Path) -> None:
    eventually(lambda: _is_removed(folder), within=SETTLES_WITHIN, every=0.01)


def _is_removed(folder: Path) -> bool:
    if not folder.exists():
        return True
    try:
        folder.rmdir()
    except OSError:
        # Nobody is born here any more; whoever still dies is gone in a moment.
        for pid in _pids(folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return False
    return True
