"""A real Ironic, from the parts of the metal3 image: on this machine alone, or where one says."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ingot.ironic.access import Access
from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.conf.ironic import Api, IronicConf, Urls
from ingot.machine import namespaces
from tests.integration.ironic.root import inside, kill, started, unpacked_root
from tests.ports import free_port

__all__ = [
    "ADDRESS",
    "DATABASE",
    "Service",
    "fake_conf",
    "free_port",
    "inside",
    "running",
    "started",
    "unpacked_root",
    "with_api",
]

ADDRESS = "127.0.0.1"
DATABASE = PurePosixPath("/tmp/ironic.sqlite")  # noqa: S108 - in a root of its own
CONF = "/etc/ironic.conf"
START_SECONDS = 120


def fake_conf(port: int) -> IronicConf:
    """Return how Ironic is told to drive servers that do not exist."""
    url = f"http://{ADDRESS}:{port}"
    return IronicConf(
        my_ip=ADDRESS,
        urls=Urls(api=url, http=f"http://{ADDRESS}:1"),
        api=Api(listen=ADDRESS, port=port),
        interfaces=Interfaces.fake(),
        database=DATABASE,
        automated_clean=False,
    )


@dataclass
class Service:
    """An Ironic that can be killed and started again, with or without its memory.

    Attributes:
        root: the root that it runs in.
        conf: what it is told.
        log: where its words go.
        extra: further lines of its configuration.
        namespace: the network that it is on; None: that of this machine.
    """

    root: Path
    conf: IronicConf
    log: Path
    extra: str = ""
    namespace: str | None = None
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def access(self) -> Access:
        return Access(self.conf.urls.api)

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def cpu_seconds(self) -> float:
        """What all its processes have used."""
        assert self._process is not None
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text("utf-8").rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            if int(fields[2]) == self._process.pid:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def start(self) -> None:
        """Start it, with a new database where there is none; it answers when this returns."""
        (self.root / CONF.lstrip("/")).write_text(self.conf.render() + self.extra, encoding="utf-8")
        if not (self.root / str(self.conf.database).lstrip("/")).exists():
            subprocess.run(
                self._command("ironic-dbsync", "create_schema"), check=True, capture_output=True
            )
        with self.log.open("ab") as log:
            self._process = started(self._command("ironic"), log)
        self._wait_until_it_listens()

    def stop(self) -> None:
        """Kill it: as hard as a power failure."""
        if self._process is not None:
            kill(self._process)
            self._process = None

    def forget(self) -> None:
        """Remove its database."""
        for file in (self.root / "tmp").glob("ironic.sqlite*"):
            file.unlink()

    def _command(self, name: str, *arguments: str) -> list[str]:
        words = (f"/usr/bin/{name}", "--config-file", CONF, *arguments)
        return inside(self.root, *words, namespace=self.namespace)

    def _wait_until_it_listens(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert self._process.poll() is None, f"Ironic ended:\n{self.said[-3000:]}"
            assert time.monotonic() < deadline, f"Ironic does not listen:\n{self.said[-3000:]}"
            if self._listens():
                return
            time.sleep(0.1)

    def _listens(self) -> bool:
        def connect() -> bool:
            try:
                socket.create_connection((self.conf.my_ip, self.conf.api.port), 1).close()
            except OSError:
                return False
            return True

        return namespaces.inside(self.namespace, connect) if self.namespace else connect()


@contextmanager
def running(
    root: Path,
    folder: Path,
    conf: IronicConf | None = None,
    *,
    extra: str = "",
    namespace: str | None = None,
) -> Iterator[Service]:
    """Run an Ironic with an empty database; it is gone afterwards."""
    told = conf or fake_conf(free_port())
    service = Service(root, told, folder / "ironic.log", extra, namespace)
    service.forget()
    try:
        service.start()
        yield service
    finally:
        service.stop()
        service.forget()


def with_api(conf: IronicConf, api: Api, url: str) -> IronicConf:
    """Return the same with another way to serve the API."""
    return replace(conf, api=api, urls=replace(conf.urls, api=url))
