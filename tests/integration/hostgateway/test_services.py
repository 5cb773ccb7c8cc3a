"""Services, by a real kube-proxy in its nftables mode beside the host gateway."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.hostgateway.clusters import CLUSTER_NETWORKS, Cluster
from tests.integration.hostgateway.pods import Pod
from tests.integration.hostgateway.spaces import inside
from tests.integration.hostgateway.talking import PORT, known_as

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

SERVICE = "10.96.0.50"
NODE_PORT = 30080
STARTS_WITHIN = 60.0


@pytest.fixture
def service(cluster: Cluster, pods: dict[str, Pod]) -> Iterator[str]:
    """A Service whose one pod is on node b."""
    services = "/api/v1/namespaces/default/services"
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    port = {"name": "talk", "port": 80, "targetPort": PORT, "nodePort": NODE_PORT}
    spec = {"type": "NodePort", "clusterIP": SERVICE, "ports": [port]}
    cluster.api.request("POST", services, {"metadata": {"name": "talk"}, "spec": spec})
    labels = {"kubernetes.io/service-name": "talk"}
    listed = {
        "metadata": {"name": "talk-1", "labels": labels},
        "addressType": "IPv4",
        "ports": [{"name": "talk", "port": PORT}],
        "endpoints": [{"addresses": [pods["b"].at(4)], "nodeName": "b"}],
    }
    cluster.api.request("POST", slices, listed)
    yield SERVICE
    cluster.api.request("DELETE", f"{slices}/talk-1")
    cluster.api.request("DELETE", f"{services}/talk")


@pytest.fixture
def kube_proxy(cluster: Cluster, tmp_path: Path) -> Iterator[None]:
    """kube-proxy on node a."""
    words = [
        "--proxy-mode=nftables",
        f"--kubeconfig={cluster.api.kubeconfig()}",
        "--hostname-override=a",
        f"--cluster-cidr={','.join(CLUSTER_NETWORKS.values())}",
        "--conntrack-max-per-core=0",
        "--conntrack-tcp-timeout-established=0",
        "--conntrack-tcp-timeout-close-wait=0",
    ]
    program = cluster.api.binaries["kube-proxy"]
    with (tmp_path / "kube-proxy.log").open("wb") as log:
        process = inside(
            cluster.spaces["a"],
            lambda: subprocess.Popen([program, *words], stdout=log, stderr=log),
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)
        for family in ("ip", "ip6"):
            words = ["nft", "delete", "table", family, "kube-proxy"]
            subprocess.run(["ip", "netns", "exec", cluster.spaces["a"], *words], check=False)


@pytest.mark.usefixtures("kube_proxy")
def test_a_pod_reaches_a_service_with_its_own_address(pods: dict[str, Pod], service: str) -> None:
    seen = eventually(
        lambda: known_as(pods["a"].space, service, 80), within=STARTS_WITHIN, every=0.2
    )
    assert seen == pods["a"].at(4)


@pytest.mark.usefixtures("kube_proxy", "service")
def test_the_world_reaches_a_pod_by_the_port_of_a_node_that_does_not_run_it(
    cluster: Cluster,
) -> None:
    world, node = cluster.spaces["world"], cluster.address("a", 4)
    seen = eventually(lambda: known_as(world, node, NODE_PORT), within=STARTS_WITHIN, every=0.2)
    assert seen == node  # kube-proxy's doing, so that the answer takes the same way back.
