"""A real Ironic, from the parts of the metal3 image, on an address of this machine alone."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.ironic.access import Access
from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.conf.ironic import Api, IronicConf, Urls
from ingot.payload.debianlayers import metal3_root
from ingot.payload.pythontree import TREE, ironic_tree

ADDRESS = "127.0.0.1"
DATABASE = PurePosixPath("/tmp/ironic.sqlite")  # noqa: S108 - in a root of its own
CONF = "/etc/ironic.conf"
START_SECONDS = 120


def unpacked_root(folder: Path) -> Path:
    """Return the root of the metal3 image."""
    base, tree = metal3_root(), ironic_tree()
    made = {one.artefact.key: one.artefact.path for one in make(Store(), [base, tree], Silent())}
    root = folder / "root"
    root.mkdir()
    for tar in (made[base.key] / "root.tar", made[tree.key] / TREE):
        subprocess.run(["tar", "--extract", "--file", tar, "--directory", root], check=True)
    for made_folder in ("shared/html/images", "shared/tftp", "var/lib/ironic"):
        (root / made_folder).mkdir(parents=True)
    return root


def inside(root: Path, *command: str) -> list[str]:
    """Return a command that runs in the root; its mounts go with it."""
    mounts = (
        f'mount -t proc proc "{root}/proc" && mount --bind /dev "{root}/dev"'
        f' && exec chroot "{root}" "$@"'
    )
    return ["unshare", "--mount", "sh", "-c", mounts, "sh", *command]


def free_port() -> int:
    with socket.create_server((ADDRESS, 0)) as server:
        port: int = server.getsockname()[1]
        return port


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
    """An Ironic that can be killed and started again, with or without its memory."""

    root: Path
    conf: IronicConf
    log: Path
    extra: str = ""
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
                inside(self.root, "/usr/bin/ironic-dbsync", "--config-file", CONF, "create_schema"),
                check=True,
                capture_output=True,
            )
        with self.log.open("ab") as log:
            self._process = started(
                inside(self.root, "/usr/bin/ironic", "--config-file", CONF), log
            )
        self._wait_until_it_listens()

    def stop(self) -> None:
        """Kill it: as hard as a power failure."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Remove its database."""
        for file in (self.root / "tmp").glob("ironic.sqlite*"):
            file.unlink()

    def _wait_until_it_listens(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert self._process.poll() is None, f"Ironic ended:\n{self.said[-3000:]}"
            assert time.monotonic() < deadline, f"Ironic does not listen:\n{self.said[-3000:]}"
            try:
                socket.create_connection((ADDRESS, self.conf.api.port), 1).close()
            except OSError:
                time.sleep(0.1)
            else:
                return


def started(command: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


@contextmanager
def running(
    root: Path, folder: Path, conf: IronicConf | None = None, *, extra: str = ""
) -> Iterator[Service]:
    """Run an Ironic with an empty database; it is gone afterwards."""
    port = free_port()
    told = conf or fake_conf(port)
    service = Service(root, told, folder / "ironic.log", extra)
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
