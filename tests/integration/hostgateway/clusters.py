"""Nodes as namespaces on one bridge, each with a host gateway, and a world that knows no pods."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingot.hostgateway.conflist import FILE_NAME
from ingot.hostgateway.options import HEALTH_PORT
from ingot.process import run
from tests.e2e.site import eventually
from tests.integration.hostgateway.pods import Runtime
from tests.integration.hostgateway.relay import relayed
from tests.integration.hostgateway.spaces import inside, set_sysctl
from tests.integration.kubeapi import KubeApi
from tests.integration.onprem.wires import wired

PROGRAM = Path(sys.executable).with_name("ingot-node")
CLUSTER_NETWORKS = {4: "10.128.0.0/14", 6: "fd01::/48"}
OUTSIDE = {4: "198.51.100.1", 6: "2001:db8::1"}
ROUTER = {4: "10.77.0.1", 6: "fd77::1"}
CHECK_SECONDS = 1
WITHIN = 60.0
"""Seconds; two are usual, but a loaded machine has fewer to give."""


def address_of(number: int, version: int) -> str:
    return f"10.77.0.{10 + number}" if version == 4 else f"fd77::{10 + number}"


def network_of(number: int, version: int) -> str:
    return f"10.128.{number}.0/24" if version == 4 else f"fd01:0:0:{number}::/64"


def node_object(
    name: str, addresses: Sequence[str], networks: Sequence[str] = ()
) -> dict[str, object]:
    spec = {"podCIDR": networks[0], "podCIDRs": list(networks)} if networks else {}
    listed = [{"type": "InternalIP", "address": one} for one in addresses]
    return {"metadata": {"name": name}, "spec": spec, "status": {"addresses": listed}}


@dataclass
class Cluster:
    """Nodes with host gateways.

    Attributes:
        names: the nodes, by their numbers; from 1 on.
    """

    api: KubeApi
    kubeconfig: Path
    spaces: dict[str, str]
    folder: Path
    versions: tuple[int, ...]
    plugins: Path
    names: tuple[str, ...]
    gateways: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def number(self, name: str) -> int:
        return self.names.index(name) + 1

    def address(self, name: str, version: int) -> str:
        return address_of(self.number(name), version)

    def network(self, name: str, version: int) -> str:
        return network_of(self.number(name), version)

    def conflist(self, name: str) -> Path:
        return self.folder / name / FILE_NAME

    def runtime(self, name: str) -> Runtime:
        data = self.folder / name / "addresses"
        return Runtime(self.spaces[name], self.conflist(name), self.plugins, data)

    def routes(self, name: str, version: int, *, ours: bool = True) -> dict[str, str]:
        """Return the gateways of a node's routes, by network."""
        which = ["proto", "73"] if ours else []
        words = ["ip", "-n", self.spaces[name], "-j", f"-{version}", "route", "show", *which]
        return {one["dst"]: one.get("gateway", "") for one in json.loads(run(words) or "[]")}

    def start(self, name: str) -> None:
        environment = {
            **os.environ,
            "NODE_NAME": name,
            "KUBECONFIG": str(self.kubeconfig),
            "INGOT_CLUSTER_NETWORKS": ",".join(CLUSTER_NETWORKS[one] for one in self.versions),
            "INGOT_CNI_FOLDER": str(self.folder / name),
            "INGOT_CHECK_SECONDS": str(CHECK_SECONDS),
        }
        with self.log_path(name).open("ab") as log:
            self.gateways[name] = inside(
                self.spaces[name],
                lambda: subprocess.Popen(
                    [PROGRAM, "host-gateway"], env=environment, stdout=log, stderr=log
                ),
            )

    def kill(self, name: str) -> None:
        gateway = self.gateways.pop(name)
        gateway.kill()
        gateway.wait(10)

    def log_path(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def page(self, name: str, path: str) -> tuple[int, str]:
        """Return what a gateway says of itself; 0 where it says nothing."""

        def ask() -> tuple[int, str]:
            url = f"http://127.0.0.1:{HEALTH_PORT}{path}"
            try:
                with urllib.request.urlopen(url, timeout=5) as answer:
                    return answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, error.read().decode()
            except OSError:
                return 0, ""

        return inside(self.spaces[name], ask)

    def is_ready(self, name: str) -> bool:
        gateway = self.gateways[name]
        assert gateway.poll() is None, self.log_path(name).read_text()
        return self.page(name, "/readyz")[0] == 200

    def metric(self, name: str, line: str) -> float | None:
        text = self.page(name, "/metrics")[1]
        found = [one for one in text.splitlines() if one.startswith(f"{line} ")]
        return float(found[0].split()[-1]) if found else None

    def checks(self, name: str) -> float:
        """Return how often a gateway has compared everything and found nothing in doubt."""
        line = (
            'controller_runtime_reconcile_total{controller="host-gateway",result="requeue_after"}'
        )
        return self.metric(name, line) or 0.0

    def check_again(self, name: str) -> None:
        """Wait until a gateway has begun and ended another comparison."""
        before = self.checks(name)
        eventually(lambda: self.checks(name) >= before + 2, within=WITHIN, every=0.1)

    def join(self, name: str, addresses: Sequence[str], networks: Sequence[str]) -> None:
        self.api.request("POST", "/api/v1/nodes", node_object(name, addresses, networks))

    def leave(self, name: str) -> None:
        self.api.request("DELETE", f"/api/v1/nodes/{name}")

    def move(self, name: str, addresses: Sequence[str]) -> None:
        """Give a Node other addresses, as its kubelet does."""
        found: dict[str, Any] = self.api.request("GET", f"/api/v1/nodes/{name}")
        listed = [{"type": "InternalIP", "address": one} for one in addresses]
        found["status"]["addresses"] = listed
        self.api.request("PUT", f"/api/v1/nodes/{name}/status", found)


@contextmanager
def clustered(
    api: KubeApi,
    kubeconfig: Path,
    folder: Path,
    plugins: Path,
    *,
    versions: tuple[int, ...] = (4, 6),
    names: tuple[str, ...] = ("a", "b", "c"),
) -> Iterator[Cluster]:
    """Make nodes whose host gateways are ready."""
    length = {4: 24, 6: 64}
    wires = {
        name: [f"{address_of(number, one)}/{length[one]}" for one in versions]
        for number, name in enumerate(names, start=1)
    }
    wires["world"] = [f"{ROUTER[one]}/{length[one]}" for one in versions]
    with ExitStack() as stack:
        spaces = stack.enter_context(wired(wires))
        made = Cluster(api, kubeconfig, spaces, folder, versions, plugins, names)
        for one in versions:
            run(["ip", "-n", spaces["world"], "address", "add", OUTSIDE[one], "dev", "lo"])
        for number, name in enumerate(names, start=1):
            space = spaces[name]
            (folder / name / "addresses").mkdir(parents=True)
            for one in versions:
                via = ["default", "via", ROUTER[one]]
                run(["ip", "-n", space, f"-{one}", "route", "add", *via])
            set_sysctl(space, "ipv4/ip_forward", "0")
            set_sysctl(space, "ipv4/conf/all/rp_filter", "1")
            stack.enter_context(relayed(space, api.port))
            addresses = [address_of(number, one) for one in versions]
            made.join(name, addresses, [network_of(number, one) for one in versions])
            stack.callback(made.leave, name)
        try:
            for name in names:
                made.start(name)
            for name in names:
                eventually(lambda name=name: made.is_ready(name), within=90, every=0.1)  # type: ignore[misc]
            yield made
        finally:
            for name in list(made.gateways):
                made.kill(name)
