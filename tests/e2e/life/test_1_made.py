"""From an install-config to a cluster that stands alone: five servers of the lab, for real.

By Redfish and iPXE on a managed provisioning network. What is asked is asked from the user's shell.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx2

from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from ingot.onprem.monitor.options import METRICS_PORT
from ingot.payload.ourimages import ONPREM
from tests.e2e.cluster import Cluster
from tests.e2e.etcd import etcd_members
from tests.e2e.handingover import (
    LEASE_SECONDS,
    began,
    explained,
    failed_seconds,
    longest_silence,
)
from tests.e2e.life.names import CONTROL_PLANE, WORKERS
from tests.e2e.site import eventually

NAMES = list(CONTROL_PLANE)
ALL = sorted((*CONTROL_PLANE, *WORKERS))
FILES = Path(__file__).parents[1] / "files"
FETCH = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=20).status)"


def test_creation_went_on_where_it_was_killed(cluster: Cluster) -> None:
    assert cluster.created.killed == (Phase.HOSTS, Phase.WORKERS)


def test_nobody_lost_a_lease_by_the_hand_over(
    cluster: Cluster, record_property: Callable[[str, object], None]
) -> None:
    journal = InstallJournal(cluster.directory / ".ingot/journal")
    begin, end = began(journal, Phase.HAND_OVER), began(journal, Phase.CLEAN_UP)
    answers = cluster.created.answers
    record_property(
        "API not ready while handed over, seconds", failed_seconds(answers, begin=begin, end=end)
    )
    assert any(begin <= one.at <= end and one.server for one in answers)
    silence = longest_silence(answers, begin=begin, end=end)
    assert silence < LEASE_SECONDS, explained(cluster, begin=begin, end=end)


def test_all_servers_of_the_install_are_ready_and_nothing_else_is_a_node(cluster: Cluster) -> None:
    def ready() -> list[str] | None:
        nodes = {
            node["metadata"]["name"]: {
                one["type"]: one["status"] for one in node["status"]["conditions"]
            }
            for node in cluster.get("nodes")["items"]
        }
        good = sorted(nodes) == ALL and all(one["Ready"] == "True" for one in nodes.values())
        return sorted(nodes) if good else None

    assert eventually(ready, within=300) == ALL


def test_etcd_has_three_members(cluster: Cluster) -> None:
    assert sorted(etcd_members(cluster, "cp-0")) == NAMES


def test_bootstrap_vm_is_gone(cluster: Cluster) -> None:
    assert list((cluster.lab.home / "installs").iterdir()) == []


def test_vip_is_on_a_control_plane_node(cluster: Cluster) -> None:
    assert cluster.holder() in NAMES


def test_every_balancer_knows_all_three_servers(cluster: Cluster) -> None:
    for name in NAMES:
        eventually(lambda name=name: balanced(cluster, name), within=120)  # type: ignore[misc]


def test_nodes_answer_for_names_of_the_cluster(cluster: Cluster) -> None:
    plan = cluster.lab.plan
    domain = f"{plan.cluster_name}.{plan.base_domain}"
    for name, address in (
        (f"api.{domain}", cluster.api_vip),
        (f"api-int.{domain}", cluster.api_vip),
        (f"any.apps.{domain}", str(plan.networks.ingress_vip)),
        (f"cp-1.{domain}", str(cluster.lab.host("cp-1").nics[-1].address)),
    ):
        assert cluster.ssh("cp-0", f"getent ahostsv4 {name}").split()[0] == address


def test_pods_run_and_reach_services_across_nodes(cluster: Cluster) -> None:
    pods = (FILES / "spread.yaml").read_text(encoding="utf-8").replace("@IMAGE@", ONPREM)
    cluster.kubectl("apply", "-f", "-", stdin=pods)
    cluster.kubectl("rollout", "status", "daemonset/everywhere", "--timeout=400s", seconds=420)
    found = cluster.get("pods", "-l", "app=everywhere")["items"]
    address = {pod["spec"]["nodeName"]: pod["status"]["podIP"] for pod in found}
    assert sorted(address) == ALL
    client = next(p["metadata"]["name"] for p in found if p["spec"]["nodeName"] == "cp-0")
    for url in (
        *(f"http://{address[name]}:8080/" for name in ALL),
        "http://everywhere.default.svc.cluster.local/",
    ):
        eventually(lambda url=url: fetched(cluster, client, url), within=200)  # type: ignore[misc]


def test_no_single_node_has_all_copies_of_the_clusters_dns(cluster: Cluster) -> None:
    pods = cluster.get("-n", "kube-system", "pods", "-l", "k8s-app=kube-dns")["items"]
    assert len({one["spec"]["nodeName"] for one in pods}) == 2


def test_report_tells_phases_and_hosts(cluster: Cluster) -> None:
    report = json.loads((cluster.directory / ".ingot/report.json").read_text(encoding="utf-8"))
    assert {"hosts", "join", "hand-over", "workers", "add-ons"} <= {
        phase["name"] for phase in report["phases"]
    }
    assert sorted(host["name"] for host in report["hosts"]) == ALL


def test_second_run_says_that_it_is_there(cluster: Cluster) -> None:
    done = cluster.ingot("create", "cluster")
    assert done.returncode == 0
    assert "there already" in done.stdout


def balanced(cluster: Cluster, host: str) -> bool:
    """Tell whether a node's own balancer finds an API server ready on each node."""
    address = cluster.lab.host(host).nics[-1].address
    with httpx2.Client(trust_env=False, timeout=10) as client:
        said = client.get(f"http://{address}:{METRICS_PORT}/metrics").text
    return "ingot_balancer_ready_servers 3.0" in said.splitlines()


def fetched(cluster: Cluster, pod: str, url: str) -> bool:
    done = cluster.try_kubectl("exec", pod, "--", "python3", "-c", FETCH, url)
    return done.stdout.strip() == "200"
