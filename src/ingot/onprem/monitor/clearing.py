"""Beginning on a node where a monitor may have died: one at a time, and nothing of it left."""

from __future__ import annotations

import fcntl
import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ingot.errors import ExitCode
from ingot.onprem import redirect
from ingot.onprem.files import read_if_there
from ingot.onprem.keepalived import Keepalived
from ingot.onprem.model import Address
from ingot.onprem.monitor.child import end_now
from ingot.onprem.monitor.options import Folders
from ingot.onprem.problem import OnPremError, UnwritableError
from ingot.onprem.vipaddress import take_away
from ingot.process import CommandFailed

__all__ = ["AlreadyRunningError", "alone", "clear_remains"]

log = logging.getLogger(__name__)


class AlreadyRunningError(OnPremError):
    """A monitor runs on this node already."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, lock: Path) -> None:
        super().__init__(
            f"another monitor runs on this node: it has {lock}",
            remedy="stop that one first; see `fuser -v` of the file",
        )


@contextmanager
def alone(folders: Folders) -> Iterator[None]:
    """Make the folders, and be the only monitor of this node until the end of the block.

    Raises:
        AlreadyRunningError: there is another.
        UnwritableError: a folder cannot be made.
    """
    for folder in (folders.run, folders.state):
        try:
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableError(folder, error.strerror or str(error)) from error
    path = folders.run / "monitor.lock"
    try:
        file = path.open("w")
    except OSError as error:
        raise UnwritableError(path, error.strerror or str(error)) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AlreadyRunningError(path) from error
        yield


def clear_remains(folders: Folders, vips: Collection[Address]) -> None:
    """End what a monitor that was killed has left, and take away VIPs that nobody looks after.

    Its children end with it, unless they were frozen at that moment.
    """
    for path in Keepalived(instances=(), run=folders.run).pid_files:
        with suppress(ValueError):
            pid = int(read_if_there(path) or "0")
            if pid and _is_keepalived(pid):
                log.warning("a keepalived of a former monitor is ended: process %d", pid)
                end_now(pid)
        path.unlink(missing_ok=True)
    for name in ("haproxy.sock", "monitor.sock", "keepalived.fifo"):
        (folders.run / name).unlink(missing_ok=True)
    with suppress(CommandFailed, OSError):  # Where it is wanted, it is made and looked after.
        redirect.remove()
    for one in take_away(vips):
        log.warning("VIP %s was left on %s, and is taken away", one.address, one.interface)


def _is_keepalived(pid: int) -> bool:
    return (read_if_there(Path("/proc", str(pid), "comm")) or "").strip() == "keepalived"
