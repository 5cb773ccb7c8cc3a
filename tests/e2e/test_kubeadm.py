"""One lab machine becomes a Kubernetes node: the kernel, the images and the CNI plugins fit.

Nothing is pulled: every image is in the node image, and the network has no registry.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ingot.payload.ourimages import ONPREM
from tests.e2e.configs import config, file, login
from tests.e2e.site import OUTSIDE_NAME, Site, eventually
from tests.e2e.uml import Hardware, Machine, config_drive, machine
from tests.full import only_in_full

pytestmark = only_in_full  # A cluster is made of such machines in every run: `test_cluster`.

FILES = Path(__file__).parent / "files"
MEMORY_MIB = 2048
BOOT_SECONDS = 300
OUTSIDE_PORT = 8000
OUTSIDE_TEXT = "outside"

# What User-Mode Linux is, and a server is not: one processor, and no cpuset to divide it.
IGNORED = "NumCPU,SystemVerification"

FETCH = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=20).status)"


@pytest.fixture
def node(site: Site, hardware: Hardware, public_key: str) -> Iterator[Machine]:
    pods = (FILES / "pods.yaml").read_text(encoding="utf-8").replace("@IMAGE@", ONPREM)
    told = config(
        passwd={"users": [login(public_key)]},
        storage={
            "files": [
                file("/etc/hostname", "node-1\n"),
                file("/etc/kubernetes/kubeadm.yaml", text_of("kubeadm.yaml")),
                file("/etc/cni/net.d/10-bridge.conflist", text_of("bridge.conflist")),
                file("/root/pods.yaml", pods),
            ]
        },
    )
    drive = config_drive(site.folder, json.dumps(told))
    with machine(site, 2, replace(hardware, memory_mib=MEMORY_MIB), drive=drive) as made:
        made.start()
        made.wait_for_ssh(within=BOOT_SECONDS)
        # It is about as long in coming up as SSH is, and kubeadm does not wait for it.
        eventually(lambda: is_active(made, "containerd.service"), within=BOOT_SECONDS)
        yield made


def is_active(node: Machine, unit: str) -> bool:
    return node.try_ssh(f"systemctl is-active --quiet {unit}").returncode == 0


def test_kubeadm_makes_a_ready_node_whose_pods_reach_services_pods_and_outside(
    site: Site, node: Machine, record_property: Callable[[str, object], None]
) -> None:
    started = time.monotonic()
    node.ssh(
        "kubeadm init --config=/etc/kubernetes/kubeadm.yaml"
        f" --ignore-preflight-errors={IGNORED} 2>&1",
        seconds=900,
    )
    record_property("kubeadm init, seconds", round(time.monotonic() - started))

    eventually(lambda: kubectl(node, "get nodes --no-headers").split()[1] == "Ready", within=300)
    kubectl(node, "-n kube-system rollout status deployment/coredns --timeout=400s", seconds=420)
    kubectl(node, "-n kube-system rollout status daemonset/kube-proxy --timeout=200s", seconds=220)
    record_property("everything ready, seconds", round(time.monotonic() - started))

    kubectl(node, "apply -f /root/pods.yaml")
    kubectl(node, "wait --for=condition=Ready pod/server pod/client --timeout=400s", seconds=420)
    service = kubectl(node, "get service server -o jsonpath={.spec.clusterIP}")
    pod = kubectl(node, "get pod server -o jsonpath={.status.podIP}")
    with serving_outside(site):
        for url in (
            f"http://{service}/",
            f"http://{pod}:8080/",
            "http://server.default.svc.cluster.local/",
            f"http://{OUTSIDE_NAME}:{OUTSIDE_PORT}/",
        ):
            eventually(lambda url=url: fetched(node, url), within=300)  # type: ignore[misc]
    record_property("used in the machine, MiB", node.ssh("free -m | awk '/^Mem/ {print $3}'"))
    record_property("resident on the host, MiB", node.resident_mib)


def fetched(node: Machine, url: str) -> bool:
    """Tell whether the client pod gets an answer from an address."""
    done = node.try_ssh(f"{KUBECTL} exec client -- python3 -c '{FETCH}' {url}", seconds=60)
    return done.stdout.strip() == "200"


KUBECTL = "kubectl --kubeconfig=/etc/kubernetes/admin.conf"


def kubectl(node: Machine, arguments: str, *, seconds: float = 60) -> str:
    return node.ssh(f"{KUBECTL} {arguments}", seconds=seconds)


def text_of(name: str) -> str:
    return (FILES / name).read_text(encoding="utf-8")


@contextmanager
def serving_outside(site: Site) -> Iterator[None]:
    """Answer HTTP on the site's own address, which is outside of every node."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(OUTSIDE_TEXT.encode())

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("", 0), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = site.listening(OUTSIDE_PORT)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
