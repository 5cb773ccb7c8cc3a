"""What is missing until all that runs in a cluster is available."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ingot.installer.addons import AddOn, missing_add_ons
from ingot.installer.clusterview import PROVISIONINGS
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.cluster.conditions import Rollout
from ingot.metal3.cluster.names import DAEMON_SETS, DEPLOYMENTS

THERE = Rollout(current=True, available=1, wanted=1)
REQUIRED = (
    AddOn(kind="Deployment", key=ObjectKey("kube-system", "coredns"), rollout=THERE),
    AddOn(kind="DaemonSet", key=ObjectKey("kube-system", "kube-proxy"), rollout=THERE),
)


def made(kind: Kind[Content], status: Mapping[str, Any], **spec: int) -> KubeObject[Content]:
    metadata = {"name": "router-default", "namespace": "ingot-ingress", "generation": 2}
    content = {"metadata": metadata, "spec": spec, "status": status}
    return KubeObject(kind, json.dumps(content).encode())


def provisioning(**conditions: tuple[str, str]) -> KubeObject[Content]:
    said = [
        {"type": name, "status": status, "message": message}
        for name, (status, message) in conditions.items()
    ]
    content = {"metadata": {"name": "x"}, "status": {"conditions": said} if said else {}}
    return KubeObject(PROVISIONINGS, json.dumps(content).encode())


AVAILABLE = provisioning(Available=("True", "metal3 serves"))


def texts(*add_ons: AddOn, metal3: KubeObject[Content] | None = AVAILABLE) -> list[str]:
    return [one.text for one in missing_add_ons((*REQUIRED, *add_ons), metal3)]


STUCK = {"type": "Progressing", "reason": "ProgressDeadlineExceeded", "message": "timed out"}


@pytest.mark.parametrize(
    ("status", "missing"),
    [
        ({"observedGeneration": 2, "updatedReplicas": 2, "availableReplicas": 2}, []),
        (
            {"observedGeneration": 2, "updatedReplicas": 2, "availableReplicas": 1},
            ["router-default: 1 of 2 available"],
        ),
        (
            {"observedGeneration": 1, "updatedReplicas": 2, "availableReplicas": 2},
            ["router-default: 2 of 2 available, and its last change is not everywhere"],
        ),
        (
            {"observedGeneration": 2, "updatedReplicas": 1, "availableReplicas": 2},
            ["router-default: 2 of 2 available, and its last change is not everywhere"],
        ),
        (
            {"observedGeneration": 2, "updatedReplicas": 2, "conditions": [STUCK]},
            ["router-default: 0 of 2 available (timed out)"],
        ),
        ({}, ["router-default: 0 of 2 available, and its last change is not everywhere"]),
    ],
)
def test_a_deployment_has_all_its_replicas(status: Mapping[str, Any], missing: list[str]) -> None:
    assert texts(AddOn.of(made(DEPLOYMENTS, status, replicas=2))) == missing


def on_nodes(wanted: int, available: int, *, updated: int = 9, seen: int = 2) -> dict[str, int]:
    return {
        "observedGeneration": seen,
        "desiredNumberScheduled": wanted,
        "updatedNumberScheduled": updated,
        "numberAvailable": available,
    }


@pytest.mark.parametrize(
    ("status", "missing"),
    [
        (on_nodes(3, 3), []),
        (on_nodes(0, 0, updated=0), []),
        (on_nodes(3, 2), ["router-default: 2 of 3 available"]),
        (
            on_nodes(3, 3, updated=2),
            ["router-default: 3 of 3 available, and its last change is not everywhere"],
        ),
        (
            on_nodes(0, 0, seen=1),
            ["router-default: 0 of 0 available, and its last change is not everywhere"],
        ),
    ],
)
def test_a_daemon_set_is_on_each_node_that_it_wants(
    status: Mapping[str, Any], missing: list[str]
) -> None:
    assert texts(AddOn.of(made(DAEMON_SETS, status))) == missing


@pytest.mark.parametrize(
    ("metal3", "missing"),
    [
        (AVAILABLE, []),
        (
            provisioning(Degraded=("False", ""), Available=("False", "metal3 is starting")),
            ["metal3: metal3 is starting"],
        ),
        (provisioning(Available=("Unknown", "")), ["metal3: it is not available"]),
        (provisioning(), ["metal3: its controller has not said anything"]),
        (None, ["metal3: there is no Provisioning provisioning-configuration"]),
    ],
)
def test_provisioning_speaks_for_metal3(
    metal3: KubeObject[Content] | None, missing: list[str]
) -> None:
    assert texts(metal3=metal3) == missing


def test_what_kubeadm_brings_has_to_be_there() -> None:
    assert [one.text for one in missing_add_ons((), AVAILABLE)] == [
        "coredns: it is not there",
        "kube-proxy: it is not there",
    ]


def test_a_deployment_is_no_daemon_set_of_the_same_name() -> None:
    proxy = AddOn(kind="Deployment", key=ObjectKey("kube-system", "kube-proxy"), rollout=THERE)
    found = missing_add_ons((REQUIRED[0], proxy), AVAILABLE)
    assert [one.text for one in found] == ["kube-proxy: it is not there"]


def test_each_lack_says_where_to_look() -> None:
    router = AddOn.of(made(DAEMON_SETS, on_nodes(2, 1)))
    found = missing_add_ons((*REQUIRED, router), None)
    assert [one.look for one in found] == [
        "-n ingot-ingress describe daemonset router-default",
        "describe provisioning provisioning-configuration",
    ]
