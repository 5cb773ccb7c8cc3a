"""The programs of the lab's site: dnsmasq for DHCP and DNS, chronyd for NTP.

Each runs on its own and outlives the daemon that started it. A new daemon finds it by its record;
one that has died is started again, unless it keeps dying.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path

from ingot.background import Background
from ingot.errors import ExitCode, IngotError
from ingot.lab.chrony import chrony_of
from ingot.lab.dnsmasq import dnsmasq_of
from ingot.lab.plan import LabPlan
from ingot.process import require, run

__all__ = ["PROGRAMS", "Service", "ServiceFailed", "Services", "site_services"]

PROGRAMS = {"chronyd": "chrony", "dnsmasq": "dnsmasq-base"}
"""What has to be installed, with the Debian packages."""

READY_SECONDS = 10.0
LOOKING_SECONDS = 0.02
MAX_FAST_DEATHS = 5
FAST_SECONDS = 10.0
"""A program that lives no longer is held to die of its own."""

LOCAL_ADDRESS, INODE = 1, 9
"""Columns of the kernel's table of sockets, proc(5)."""

_LOG = logging.getLogger(__name__)


class ServiceFailed(IngotError):  # noqa: N818 - it says what happened
    """A program of the site does not start."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(slots=True)
class Service:
    """One program, run on the network it is called from.

    Attributes:
        name: of the program.
        home: where its configuration, log and record are.
        config: its configuration.
        arguments: how it is started.
        check: how it is asked whether it understands its configuration.
        listens: where it takes datagrams as soon as it is ready.
    """

    name: str
    home: Path
    config: str
    arguments: tuple[str, ...]
    check: tuple[str, ...]
    listens: tuple[IPv4Address, int]
    _deaths: int = field(default=0, init=False)
    _started: float = field(default=0.0, init=False)

    @property
    def process(self) -> Background:
        """The program's process."""
        return Background(self.home / f"{self.name}.json")

    @property
    def log(self) -> Path:
        """What the program says."""
        return self.home / f"{self.name}.log"

    def start(self) -> None:
        """Start it, or find it running as it should be; it answers when this returns.

        Raises:
            CommandFailed: it does not understand its configuration.
            ServiceFailed: it ended, or never listened.
        """
        place = _config_file(self.home, self.name)
        is_same = place.exists() and place.read_text(encoding="utf-8") == self.config
        if self.process.pid() is not None:
            if is_same:
                return
            self.process.stop()
        # Its process may be anybody's by now, and chronyd would wait for that one to end.
        (self.home / f"{self.name}.pid").unlink(missing_ok=True)
        place.write_text(self.config, encoding="utf-8")
        run([self.name, *self.check], remedy=f"see {place}")
        with self.log.open("wb") as log:
            self.process.start([self.name, *self.arguments], output=log)
        self._started = time.monotonic()
        self._wait_until_ready()

    def mend(self) -> None:
        """Start it again if it has ended, but not for ever if it keeps ending."""
        if self.process.pid() is not None or self._deaths >= MAX_FAST_DEATHS:
            return
        is_fast = time.monotonic() - self._started < FAST_SECONDS
        self._deaths = self._deaths + 1 if is_fast else 1
        if self._deaths == MAX_FAST_DEATHS:
            _LOG.error("%s keeps ending, and stays so: see %s", self.name, self.log)
            return
        _LOG.warning("%s has ended and is started again", self.name)
        try:
            self.start()
        except IngotError as failed:
            _LOG.error("%s: %s", self.name, failed.what)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while (pid := self.process.pid()) is None or not _listens(pid, *self.listens):
            if pid is None or time.monotonic() > deadline:
                said = self.log.read_text(encoding="utf-8", errors="replace").strip()
                self.process.stop()
                raise ServiceFailed(
                    f"{self.name} does not start:\n{said[-2000:]}",
                    remedy=f"see {self.log}; then run `ingot lab start`",
                )
            time.sleep(LOOKING_SECONDS)


class Services:
    """All programs of a site."""

    def __init__(self, services: Sequence[Service]) -> None:
        self._services = services

    def start(self) -> None:
        """Start them, or find them running."""
        require(PROGRAMS)
        for service in self._services:
            service.start()

    def mend(self) -> None:
        """Start those again that have ended."""
        for service in self._services:
            service.mend()

    def stop(self) -> None:
        """End them."""
        for service in self._services:
            service.process.stop()


def site_services(plan: LabPlan, home: Path) -> Services:
    """Return the programs of a lab's site."""
    gateway = plan.networks.external_gateway
    dnsmasq_file, chronyd_file = (str(_config_file(home, name)) for name in ("dnsmasq", "chronyd"))
    dnsmasq = Service(
        name="dnsmasq",
        home=home,
        config=dnsmasq_of(plan, home / "dnsmasq.leases").render(),
        arguments=(f"--conf-file={dnsmasq_file}",),
        check=("--test", f"--conf-file={dnsmasq_file}"),
        listens=(gateway, 53),
    )
    chronyd = Service(
        name="chronyd",
        home=home,
        config=chrony_of(plan, home / "chronyd.pid").render(),
        arguments=("-4", "-d", "-x", "-f", chronyd_file),  # -x: never touch this PC's clock
        check=("-p", "-f", chronyd_file),
        listens=(gateway, 123),
    )
    return Services((dnsmasq, chronyd))


def _config_file(home: Path, name: str) -> Path:
    return home / f"{name}.conf"


def _listens(pid: int, address: IPv4Address, port: int) -> bool:
    """Tell whether a process takes datagrams there, on the network of the current thread."""
    raw = int.from_bytes(address.packed, sys.byteorder)
    place = f"{raw:08X}:{port:04X}"
    table = Path("/proc/thread-self/net/udp").read_text(encoding="ascii")
    rows = (line.split() for line in table.splitlines())
    sockets = {f"socket:[{row[INODE]}]" for row in rows if row[LOCAL_ADDRESS] == place}
    try:
        held = {str(handle.readlink()) for handle in Path("/proc", str(pid), "fd").iterdir()}
    except (FileNotFoundError, ProcessLookupError):
        return False
    return not sockets.isdisjoint(held)
