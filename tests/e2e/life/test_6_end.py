"""The end of a cluster: workers lose their routers, a control-plane server its power, all goes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.etcd import etcd_in_pod, etcd_members
from tests.e2e.life.names import CONTROL_PLANE
from tests.e2e.site import eventually
from tests.e2e.workers import ADDED, Workers


@pytest.mark.last(1)
def test_applications_answer_through_the_control_plane_while_no_worker_has_a_router(
    workers: Workers,
) -> None:
    cluster, vip = workers.cluster, str(workers.cluster.lab.plan.networks.ingress_vip)

    def placed(name: str | None) -> None:
        change = {
            "spec": {"template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": name}}}}
        }
        words = ("-n", "ingot-ingress", "patch", "daemonset", "router-default", "--type=merge")
        cluster.kubectl(*words, "-p", json.dumps(change))

    placed("nowhere")
    eventually(lambda: cluster.held_by(vip) in {*CONTROL_PLANE, ADDED}, within=300, every=1)
    eventually(workers.shop_answers, within=60, every=1)
    placed(None)


@pytest.mark.last(2)
def test_api_comes_back_when_the_holder_loses_its_power(
    cluster: Cluster, record_property: Callable[[str, object], None]
) -> None:
    holder = cluster.holder()
    members = sorted(etcd_members(cluster, holder))
    assert len(members) == 3
    cluster.lab.ingot("power", holder, "off")
    began = time.monotonic()
    eventually(lambda: cluster.try_kubectl("get", "--raw", "/readyz").returncode == 0, within=120)
    record_property("API back, seconds", round(time.monotonic() - began, 1))
    others = [name for name in members if name != holder]
    assert cluster.holder() in others
    assert sorted(etcd_members(cluster, others[0])) == members
    assert "true" in cluster.ssh(others[0], f"{etcd_in_pod('endpoint health -w json')}")


@pytest.mark.last(3)
def test_destroy_leaves_nothing(cluster: Cluster) -> None:
    done = cluster.ingot("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    # The install-config says nothing of this one.
    assert f"{ADDED}: was added to the cluster later" in done.stdout.splitlines()
    assert {host["power"] for host in cluster.lab.status().values()} == {"off"}
    assert not (cluster.directory / ".ingot").exists()
    assert not (cluster.directory / "auth").exists()
