"""The end of a cluster: a control-plane server loses its power, and then all is taken away."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.etcd import etcd_in_pod, etcd_members
from tests.e2e.site import eventually
from tests.e2e.workers import ADDED


@pytest.mark.last(1)
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


@pytest.mark.last(2)
def test_destroy_leaves_nothing(cluster: Cluster) -> None:
    done = cluster.ingot("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    # Of the host that somebody added by hand the install-config says nothing.
    power = {name: host["power"] for name, host in cluster.lab.status().items() if name != ADDED}
    assert set(power.values()) == {"off"}
    assert not (cluster.directory / ".ingot").exists()
    assert not (cluster.directory / "auth").exists()
