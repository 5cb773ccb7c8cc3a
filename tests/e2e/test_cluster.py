"""From an install-config to a control plane that stands alone: three servers of the lab, for real.

By Redfish and iPXE on a managed provisioning network. What is asked is asked from the user's shell.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from ingot.onprem.monitor.options import METRICS_PORT
from ingot.payload.ourimages import ONPREM
from tests.e2e.cluster import Cluster, created_cluster
from tests.e2e.creating import began, failed_seconds
from tests.e2e.lab import created_lab
from tests.e2e.site import eventually

LAB = f"ha{os.getpid()}"
NAMES = ["cp-0", "cp-1", "cp-2"]
FILES = Path(__file__).parent / "files"
FETCH = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=20).status)"
ETCD = "etcdctl --endpoints=https://127.0.0.1:2379 --cacert={pki}/ca.crt --cert={pki}/server.crt"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("lab")
    options = ("--control-plane", "3", "--workers", "0", "--driver", "uml", "--bmc", "redfish")
    with (
        created_lab(folder, *options, name=LAB) as lab,
        created_cluster(lab, killed_in=(Phase.HOSTS,)) as made,
    ):
        yield made


def test_creation_went_on_where_it_was_killed(cluster: Cluster) -> None:
    assert cluster.created.killed == (Phase.HOSTS,)


def test_api_hardly_failed_while_it_was_handed_over(
    cluster: Cluster, record_property: Callable[[str, object], None]
) -> None:
    journal = InstallJournal(cluster.directory / ".ingot/journal")
    begin, end = began(journal, Phase.HAND_OVER), began(journal, Phase.CLEAN_UP)
    failed = failed_seconds(cluster.created.answers, begin=begin, end=end)
    record_property("API not ready while handed over, seconds", failed)
    assert any(begin <= one.at <= end and one.server for one in cluster.created.answers)
    assert failed <= 2


def test_control_plane_is_ready_and_nothing_else_is_a_node(cluster: Cluster) -> None:
    def ready() -> list[str] | None:
        nodes = {
            node["metadata"]["name"]: {
                one["type"]: one["status"] for one in node["status"]["conditions"]
            }
            for node in cluster.get("nodes")["items"]
        }
        good = sorted(nodes) == NAMES and all(one["Ready"] == "True" for one in nodes.values())
        return sorted(nodes) if good else None

    assert eventually(ready, within=300) == NAMES


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
    assert sorted(address) == NAMES
    client = next(p["metadata"]["name"] for p in found if p["spec"]["nodeName"] == "cp-0")
    for url in (
        *(f"http://{address[name]}:8080/" for name in NAMES),
        "http://everywhere.default.svc.cluster.local/",
    ):
        eventually(lambda url=url: fetched(cluster, client, url), within=200)  # type: ignore[misc]


def test_report_tells_phases_and_hosts(cluster: Cluster) -> None:
    report = json.loads((cluster.directory / ".ingot/report.json").read_text(encoding="utf-8"))
    assert {"hosts", "join", "hand-over"} <= {phase["name"] for phase in report["phases"]}
    assert sorted(host["name"] for host in report["hosts"]) == NAMES


def test_second_run_says_that_it_is_there(cluster: Cluster) -> None:
    done = cluster.ingot("create", "cluster")
    assert done.returncode == 0
    assert "there already" in done.stdout


@pytest.mark.last(1)
def test_api_comes_back_when_the_holder_loses_its_power(
    cluster: Cluster, record_property: Callable[[str, object], None]
) -> None:
    holder = cluster.holder()
    cluster.lab.ingot("power", holder, "off")
    began = time.monotonic()
    eventually(lambda: cluster.try_kubectl("get", "--raw", "/readyz").returncode == 0, within=120)
    record_property("API back, seconds", round(time.monotonic() - began, 1))
    others = [name for name in NAMES if name != holder]
    assert cluster.holder() in others
    assert sorted(etcd_members(cluster, others[0])) == NAMES
    assert "true" in cluster.ssh(others[0], f"{etcd_in_pod('endpoint health -w json')}")


@pytest.mark.last(2)
def test_destroy_leaves_nothing(cluster: Cluster) -> None:
    done = cluster.ingot("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert {host["power"] for host in cluster.lab.status().values()} == {"off"}
    assert not (cluster.directory / ".ingot").exists()
    assert not (cluster.directory / "auth").exists()


def etcd_members(cluster: Cluster, host: str) -> list[str]:
    said = json.loads(cluster.ssh(host, etcd_in_pod("member list -w json")))
    return [one["name"] for one in said["members"] if not one.get("isLearner")]


def etcd_in_pod(words: str) -> str:
    """Return a command that runs etcdctl where it is: in etcd's own container."""
    pki = "/etc/kubernetes/pki/etcd"
    find = "ctr -n k8s.io containers ls | awk '/etcd:/ {print $1}' | tail -1"
    line = f"{ETCD.format(pki=pki)} --key={pki}/server.key {words}"
    return f"ctr -n k8s.io tasks exec --exec-id t$$ $({find}) {line}"


def balanced(cluster: Cluster, host: str) -> bool:
    """Tell whether a node's own balancer finds an API server ready on each node."""
    address = cluster.lab.host(host).nics[-1].address
    with httpx2.Client(trust_env=False, timeout=10) as client:
        said = client.get(f"http://{address}:{METRICS_PORT}/metrics").text
    return "ingot_balancer_ready_servers 3.0" in said.splitlines()


def fetched(cluster: Cluster, pod: str, url: str) -> bool:
    done = cluster.try_kubectl("exec", pod, "--", "python3", "-c", FETCH, url)
    return done.stdout.strip() == "200"
