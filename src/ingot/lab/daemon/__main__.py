"""`python -m ingot.lab.daemon FOLDER`: hold the lab in that folder until told to end.

A SIGTERM ends this process alone; hosts and services go on, and the next daemon finds them.
"""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ingot.errors import ExitCode, IngotError
from ingot.lab.daemon.telling import log_to, tell_failed, tell_ready
from ingot.lab.labs import STATE_VARIABLE, Lab

MENDING_SECONDS = 2.0
"""How often the daemon looks after the services."""

_LOG = logging.getLogger(__name__)


class DaemonThere(IngotError):  # noqa: N818 - it says what was seen
    """Another daemon holds the lab."""

    exit_code = ExitCode.INFRASTRUCTURE


def main(home: Path) -> int:
    """Hold the lab until a signal comes; return the exit code."""
    os.chdir("/")
    os.umask(0o077)
    os.environ[STATE_VARIABLE] = str(home.parent.parent)
    lab = Lab(home.name)
    log_to(lab.daemon_log)
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: ending.set())
    try:
        with _held(lab):
            _hold(lab, ending)
    except Exception as error:  # noqa: BLE001 - whoever waits for the daemon is told
        _LOG.exception("the daemon ends")
        tell_failed(error)
        return error.exit_code if isinstance(error, IngotError) else ExitCode.OTHER
    return ExitCode.OK


def _hold(lab: Lab, ending: threading.Event) -> None:
    # The BMCs' libraries take a second to load; an error in all of the above need not wait for it.
    from ingot.lab.daemon.answering import Answering  # noqa: PLC0415
    from ingot.lab.daemon.rack import Rack  # noqa: PLC0415
    from ingot.lab.daemon.server import ControlServer  # noqa: PLC0415
    from ingot.lab.poweredhosts import PoweredHosts  # noqa: PLC0415

    rack = Rack(lab)
    with ExitStack() as running:
        rack.start()
        running.callback(rack.stop)
        answering = Answering(rack.hosts, PoweredHosts(lab.home))
        server = ControlServer(lab.control_socket, answering.answer)
        server.start()
        running.callback(server.stop)
        _LOG.info("ready: %d hosts", len(rack.hosts.plan.hosts))
        tell_ready()
        while not ending.wait(MENDING_SECONDS):
            rack.services.mend()
        _LOG.info("asked to end")


@contextmanager
def _held(lab: Lab) -> Iterator[None]:
    """Be the only daemon of a lab."""
    with (lab.home / "daemon.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DaemonThere(
                f"another daemon holds the lab {lab.name!r}",
                remedy="end it with `ingot lab stop`",
            ) from None
        yield


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
