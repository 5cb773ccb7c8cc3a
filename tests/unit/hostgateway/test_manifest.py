"""The objects that run the host gateway."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ingot.hostgateway.manifest import manifest
from ingot.hostgateway.options import read

IMAGE = "ingot.local/onprem:0.1.0"


@pytest.fixture
def objects() -> dict[str, Any]:
    text = manifest(IMAGE, "192.168.111.5", 6443, ["10.128.0.0/14", "fd01::/48"])
    assert "&id" not in text
    return {one["kind"]: one for one in yaml.safe_load_all(text)}


def test_they_come_in_an_order_that_can_be_applied(objects: dict[str, Any]) -> None:
    assert list(objects) == ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "DaemonSet"]


def test_it_may_read_nodes_and_tell_events_and_nothing_else(objects: dict[str, Any]) -> None:
    assert objects["ClusterRole"]["rules"] == [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
    ]


def test_it_runs_on_every_node_from_its_first_moment(objects: dict[str, Any]) -> None:
    pod = objects["DaemonSet"]["spec"]["template"]["spec"]
    assert pod["hostNetwork"] is True
    assert pod["tolerations"] == [{"operator": "Exists"}]
    assert pod["priorityClassName"] == "system-node-critical"
    assert pod["containers"][0]["image"] == IMAGE


def test_its_environment_is_one_that_the_program_takes(objects: dict[str, Any]) -> None:
    container = objects["DaemonSet"]["spec"]["template"]["spec"]["containers"][0]
    said = {one["name"]: one.get("value", "node-0") for one in container["env"]}
    found = read(said)
    assert found.name == "node-0"
    assert list(map(str, found.cluster_networks)) == ["10.128.0.0/14", "fd01::/48"]
    assert (str(found.vip), said["KUBERNETES_SERVICE_PORT"]) == ("192.168.111.5", "6443")
    assert container["readinessProbe"]["httpGet"]["port"] == found.health_port
    mounted = {one["mountPath"] for one in container["volumeMounts"]}
    assert mounted == {str(found.cni_folder), str(found.sysctl_folder)}
