"""The two that are measured, as a fault sees them: Ingot's nodes, and nodes by upstream's values.

Both have the same servers, the same namespaces and the same wire. Upstream's three watching
programs are not here: what they would have written is there from the start, and none of them acts
within a gap. Nor is a kubelet: what has died stays dead until a case starts it again.
"""

from __future__ import annotations

import csv
import re
import signal
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.bench import onprem_upstream_files as files
from tests.e2e.site import eventually
from tests.integration.onprem.monitored import Monitored
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Address, Role
from tests.onprem_site.process import Process
from tests.onprem_site.servers import Server, router, start

PRIORITY = re.compile(r"\((API|INGRESS)\) \w+ effective priority (?:from \d+ )?to (\d+)")
ASKED_WITHIN = 2.0


class Side(Protocol):
    """One of the two.

    Attributes:
        bed: its cluster at the site, with API servers.
        routers: its ingress routers, by node.
    """

    bed: Monitored
    routers: dict[str, Server]

    def run(self, *nodes: Node) -> None:
        """Start what a node runs beside its servers."""

    def stop(self, node: Node) -> None:
        """Ask that to end, and wait until it has."""

    def restart_balancer(self, node: Node) -> None:
        """Start a haproxy that has died, unless somebody else does."""

    def ready(self, node: Node) -> frozenset[str]:
        """Return the nodes whose API server a node's balancer uses."""

    def hasten(self) -> None:
        """Let balancers believe at once that all API servers are well, where that takes long."""

    def is_eligible(self, node: Node, vip: Address) -> bool:
        """Return whether a node could hold a VIP as well as any."""


@dataclass
class Ours:
    """Nodes with a monitor each."""

    bed: Monitored
    routers: dict[str, Server] = field(default_factory=dict)

    def run(self, *nodes: Node) -> None:
        """See Side."""
        for node in nodes:
            (node.folder / "pods/ingress_router-default-1").mkdir(parents=True, exist_ok=True)
        self.bed.watch_over(*nodes)

    def stop(self, node: Node) -> None:
        """See Side."""
        assert self.bed.stop(node) == 0

    def restart_balancer(self, node: Node) -> None:
        """See Side: the monitor has done so already."""

    def ready(self, node: Node) -> frozenset[str]:
        """See Side."""
        return _ready(self.bed, node.folder / "run/onprem/haproxy.sock", "api")

    def hasten(self) -> None:
        """See Side: three seconds are short enough."""

    def is_eligible(self, node: Node, vip: Address) -> bool:
        """See Side."""
        return self.bed.standing(node, vip).get("state") in {"backup", "master"}


@dataclass
class Upstream:
    """Nodes with keepalived and haproxy by upstream's values."""

    bed: Monitored
    checks: files.Checks = files.CURRENT
    routers: dict[str, Server] = field(default_factory=dict)
    _keepalived: dict[str, Process] = field(default_factory=dict)
    _haproxy: dict[str, Process] = field(default_factory=dict)
    _logged: dict[str, int] = field(default_factory=dict)

    def run(self, *nodes: Node) -> None:
        """See Side."""
        for node in nodes:
            if node.seat.role is Role.CONTROL:
                self._write_balancer(node)
                self._start_balancer(node)
            self._start_keepalived(node)

    def stop(self, node: Node) -> None:
        """See Side: keepalived first, which is the kindest order."""
        for daemons in (self._keepalived, self._haproxy):
            daemon = daemons.pop(node.name)
            daemon.tell(signal.SIGTERM)
            daemon.wait()

    def restart_balancer(self, node: Node) -> None:
        """See Side."""
        self._start_balancer(node)

    def ready(self, node: Node) -> frozenset[str]:
        """See Side."""
        return _ready(self.bed, _socket(node), "masters")

    def hasten(self) -> None:
        """See Side."""
        control = self.bed.site.of(self.bed.cluster.name, Role.CONTROL)
        for node in control:
            for other in control:
                _told(_socket(node), f"set server masters/{other.name} health up")

    def is_eligible(self, node: Node, vip: Address) -> bool:
        """See Side."""
        is_api = vip == self.bed.api_vip
        with (node.folder / "keepalived.log").open(errors="replace") as log:
            log.seek(self._logged[node.name])
            said = [found[2] for found in PRIORITY.finditer(log.read()) if _is_api(found) is is_api]
        full = files.API_FULL if is_api else files.INGRESS_FULL
        return said[-1:] == [str(full)]

    def _write_balancer(self, node: Node) -> None:
        control = [one.seat for one in self.bed.site.of(self.bed.cluster.name, Role.CONTROL)]
        rules = node.folder / "redirect.nft"
        rules.write_text(files.redirect(self.bed.api_vip))
        node.run("nft", "-f", rules)
        _config(node, "haproxy.cfg").write_text(files.haproxy(self.checks, control, _socket(node)))

    def _start_balancer(self, node: Node) -> None:
        _socket(node).unlink(missing_ok=True)
        self._haproxy[node.name] = node.start("haproxy", "-db", "-f", _config(node, "haproxy.cfg"))
        eventually(lambda: bool(self.ready(node)), within=10, every=0.01)

    def _start_keepalived(self, node: Node) -> None:
        folder = _config(node, "checks")
        folder.mkdir(exist_ok=True)
        for name, text in files.programs(folder).items():
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o700)
        for name in ("redirected", "configs", "router"):
            (folder / name).touch()
        seats = self.bed.planned()
        config = _config(node, "keepalived.conf")
        config.write_text(files.keepalived(self.bed.cluster, node.seat, seats, folder))
        log = node.folder / "keepalived.log"
        self._logged[node.name] = log.stat().st_size if log.exists() else 0
        options = ("--dont-fork", "--vrrp", "--log-console", "--log-detail", "--use-file")
        self._keepalived[node.name] = node.start("keepalived", *options, config)


def serve_ingress(side: Side, nodes: Iterable[Node]) -> None:
    """Start routers."""
    for node in nodes:
        side.routers[node.name] = router(node, None)
        start(side.routers[node.name])


def _is_api(found: re.Match[str]) -> bool:
    return found[1] == "API"


def _config(node: Node, name: str) -> Path:
    return node.folder / name


def _socket(node: Node) -> Path:
    return node.folder / "haproxy.sock"


def _ready(bed: Monitored, path: Path, backend: str) -> frozenset[str]:
    names = {f"{seat.address}:6443": seat.name for seat in bed.planned()}
    return frozenset(
        names[row["addr"]]
        for row in _servers(path)
        if row["# pxname"] == backend and row["status"].startswith("UP") and row["addr"] in names
    )


def _servers(path: Path) -> Iterator[dict[str, str]]:
    return csv.DictReader(_told(path, "show stat -1 4 -1").splitlines())


def _told(path: Path, words: str) -> str:
    """Say something to haproxy, and return its answer; nothing where there is none."""
    read = b""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as one:
        one.settimeout(ASKED_WITHIN)
        one.connect(str(path))
        one.sendall(f"{words}\n".encode())
        while got := one.recv(65536):
            read += got
    return read.decode()
