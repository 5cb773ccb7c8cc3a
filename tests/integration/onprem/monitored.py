"""Nodes of a site with a monitor each, as units would start it, and with servers to look after."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingot.onprem.monitor.statussocket import MonitorSilentError, ask
from tests.onprem_site.certificates import Certificate
from tests.onprem_site.faults import Faults
from tests.onprem_site.node import Node
from tests.onprem_site.nodestore import NodeStore
from tests.onprem_site.plan import Address, Cluster, Plan, Role, Seat
from tests.onprem_site.process import Process
from tests.onprem_site.servers import Server, api_server, start
from tests.onprem_site.site import Site, opened_site

PROGRAM = Path(sys.executable).with_name("ingot-node")
DOMAIN = "example.com"
ROLES = {Role.BOOTSTRAP: "bootstrap", Role.CONTROL: "control-plane", Role.WORKER: "worker"}


@dataclass
class Monitored:
    """A site whose nodes have monitors.

    Attributes:
        site: the site.
        faults: what goes wrong there.
        store: the Nodes that the API servers know of.
        certificate: of all servers.
        coredns: the program.
        index: which of the site's clusters is meant.
        options: more of what monitors are told; by name of the key.
        api: the API servers that were started, by node.
        monitors: the monitors that were started, by node.
    """

    site: Site
    faults: Faults
    store: NodeStore
    certificate: Certificate
    coredns: Path
    index: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    api: dict[str, Server] = field(default_factory=dict)
    monitors: dict[str, Process] = field(default_factory=dict)

    @property
    def cluster(self) -> Cluster:
        return self.site.plan.all_clusters[self.index]

    @property
    def api_vip(self) -> Address:
        return self.cluster.api_vips[0]

    @property
    def ingress_vip(self) -> Address:
        return self.cluster.ingress_vips[0]

    def planned(self) -> tuple[Seat, ...]:
        return tuple(
            seat
            for seat in self.site.plan.nodes
            if seat.role is not Role.BOOTSTRAP and seat.cluster == self.cluster.name
        )

    def serve(self, *nodes: Node) -> None:
        """Start API servers, all at the same time."""
        found = {one.name: api_server(one, self.store, self.certificate) for one in nodes}
        start(*found.values())
        self.api.update(found)

    def watch_over(self, *nodes: Node) -> None:
        """Start monitors."""
        for node in nodes:
            self.monitors[node.name] = node.start(
                PROGRAM, "onprem", name="monitor", env={"INGOT_ONPREM": str(self.file(node))}
            )

    def file(self, node: Node) -> Path:
        """Write what a node's monitor is told, and return where."""
        folder = node.folder
        given, path = folder / "given", folder / "onprem.json"
        given.write_text(f"search lan\nnameserver {self.site.client.seat.address}\n")
        said = {
            "cluster": {
                "name": self.cluster.name,
                "domain": f"{self.cluster.name}.{DOMAIN}",
                "apiVIPs": list(map(str, self.cluster.api_vips)),
                "ingressVIPs": list(map(str, self.cluster.ingress_vips)),
                **self.options.get("cluster", {}),
            },
            "node": {"name": node.name, "role": ROLES[node.seat.role]},
            "planned": [_planned(seat) for seat in self.planned()],
            "kubeconfig": str(self._kubeconfig()),
            "folders": {"run": str(folder / "run/onprem"), "state": str(folder / "state")},
            "programs": {"coredns": str(self.coredns)},
            "resolver": {"path": str(folder / "resolv.owned"), "given": [str(given)]},
            "defaultRouter": str(folder / "pods" / "*_router-default-*"),
            "doneFile": str(folder / "done"),
            **{key: value for key, value in self.options.items() if key != "cluster"},
        }
        path.write_text(json.dumps(said))
        return path

    def status(self, node: Node) -> dict[str, Any]:
        """Return what a node's monitor says; empty where it says nothing."""
        try:
            return ask(node.folder / "run/onprem/monitor.sock")
        except MonitorSilentError:
            return {}

    def standing(self, node: Node, vip: Address) -> dict[str, Any]:
        """Return what a node's monitor says of a VIP; empty where it says nothing."""
        vips = self.status(node).get("vips", ())
        return next((one for one in vips if one["vip"] == str(vip)), {})

    def typed(self, node: Node, *words: str) -> str:
        """Return what `ingot-node` says on a node."""
        told = f"INGOT_ONPREM={node.folder / 'onprem.json'}"
        return node.run("env", told, PROGRAM, *words)

    def log(self, node: Node) -> str:
        return (node.folder / "monitor.log").read_text(errors="replace")

    def stop(self, node: Node) -> int:
        """Ask a monitor to end, and return how it did."""
        monitor = self.monitors.pop(node.name)
        monitor.tell(signal.SIGTERM)
        return monitor.wait()

    def _kubeconfig(self) -> Path:
        path = self.site.folder / f"kubeconfig-{self.index}"
        named = f"[{self.api_vip}]" if self.api_vip.version == 6 else str(self.api_vip)
        server = f"https://{named}:6443"
        trusted = {"server": server, "certificate-authority": str(self.certificate.certificate)}
        path.write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "site",
                    "clusters": [{"name": "site", "cluster": trusted}],
                    "users": [{"name": "site", "user": {"token": "none"}}],
                    "contexts": [{"name": "site", "context": {"cluster": "site", "user": "site"}}],
                }
            )
        )
        return path


@contextmanager
def monitored(folder: Path, plan: Plan, coredns: Path) -> Iterator[Monitored]:
    """Make a site for monitors, all of whose planned nodes are known to the API."""
    with opened_site(folder, plan) as site:
        yield cluster_of(site, 0, coredns)


@contextmanager
def control_plane(
    folder: Path, coredns: Path, *, nodes: int, workers: int = 0
) -> Iterator[Monitored]:
    """Make a site with a control plane, each node of which has an API server and a monitor."""
    plan = Plan(control=nodes, workers=workers, bootstrap=False)
    with monitored(folder, plan, coredns) as found:
        control = found.site.of("", Role.CONTROL)
        found.serve(*control)
        found.watch_over(*control)
        yield found


def cluster_of(site: Site, index: int, coredns: Path) -> Monitored:
    """Return one of a site's clusters, with all of its planned nodes known to its API."""
    folder, cluster = site.folder / f"cluster-{index}", site.plan.all_clusters[index]
    folder.mkdir()
    names = (*cluster.api_vips, *(at for seat in site.plan.nodes for at in seat.addresses))
    certificate = Certificate.made(folder, names, f"api-int.{cluster.name}.{DOMAIN}")
    store = NodeStore.made(folder / "nodes.json")
    found = Monitored(site, Faults(site), store, certificate, coredns, index)
    store.join(*found.planned())
    return found


def running_programs(node: Node) -> Iterable[str]:
    """Return the names of the programs that a node runs."""
    for pid in node.group.pids:
        with suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text()
            if stat.rpartition(")")[2].split()[0] not in "ZX":
                yield stat.partition("(")[2].rpartition(")")[0]


def _planned(seat: Seat) -> dict[str, object]:
    addresses = list(map(str, seat.addresses))
    return {"name": seat.name, "role": ROLES[seat.role], "addresses": addresses}
