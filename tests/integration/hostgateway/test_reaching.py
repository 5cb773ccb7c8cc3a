"""Pods that real CNI plugins made: whom they reach, and as whom they are known there."""

from __future__ import annotations

import os

import pytest

from tests.e2e.site import eventually
from tests.integration.hostgateway.clusters import OUTSIDE, ROUTER, WITHIN, Cluster
from tests.integration.hostgateway.pods import Pod
from tests.integration.hostgateway.spaces import sysctl
from tests.integration.hostgateway.talking import known_as, listening

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

FAMILIES = pytest.mark.parametrize("version", [4, 6], ids=["IPv4", "IPv6"])


def reached(space: str, address: str, port: int = 8080) -> str:
    """Return as whom somebody is known to a server, as soon as they reach it at all."""
    return eventually(lambda: known_as(space, address, port), within=WITHIN, every=0.1)


@FAMILIES
def test_a_pod_reaches_a_pod_of_another_node_with_its_own_address(
    cluster: Cluster, pods: dict[str, Pod], version: int
) -> None:
    for other in cluster.names[1:]:
        assert reached(pods["a"].space, pods[other].at(version)) == pods["a"].at(version)
        assert reached(pods[other].space, pods["a"].at(version)) == pods[other].at(version)


@FAMILIES
def test_a_pod_reaches_its_neighbour_on_the_same_node_and_itself(
    cluster: Cluster, pods: dict[str, Pod], version: int
) -> None:
    neighbour = cluster.runtime("a").add("neighbour")
    try:
        assert reached(neighbour.space, pods["a"].at(version)) == neighbour.at(version)
        assert reached(pods["a"].space, pods["a"].at(version)) == pods["a"].at(version)
    finally:
        neighbour.remove()


@FAMILIES
def test_the_world_knows_a_pod_by_its_nodes_address(
    cluster: Cluster, pods: dict[str, Pod], version: int
) -> None:
    with listening(cluster.spaces["world"]):
        for where in (OUTSIDE[version], ROUTER[version]):
            assert reached(pods["b"].space, where) == cluster.address("b", version)


@FAMILIES
def test_nodes_reach_pods_and_know_those_of_others_by_their_nodes_address(
    cluster: Cluster, pods: dict[str, Pod], version: int
) -> None:
    own, other = cluster.address("a", version), cluster.address("b", version)
    with listening(cluster.spaces["a"]), listening(cluster.spaces["b"]):
        assert reached(cluster.spaces["a"], pods["b"].at(version)) == own
        assert reached(pods["a"].space, other) == own
        assert reached(pods["a"].space, own) == pods["a"].at(version)


@FAMILIES
def test_a_host_port_leads_to_its_pod(cluster: Cluster, version: int) -> None:
    port = {"hostPort": 8088, "containerPort": 8080, "protocol": "tcp", "hostIP": ""}
    pod = cluster.runtime("c").add("ported", [port])
    try:
        with listening(pod.space):
            seen = reached(cluster.spaces["world"], cluster.address("c", version), 8088)
            assert seen == ROUTER[version]
    finally:
        pod.remove()


def test_packets_are_passed_on_although_the_machine_did_not(cluster: Cluster) -> None:
    for name in cluster.names:
        assert sysctl(cluster.spaces[name], "ipv4/ip_forward") == "1"
        assert sysctl(cluster.spaces[name], "ipv6/conf/all/forwarding") == "1"
        assert sysctl(cluster.spaces[name], "ipv4/conf/all/rp_filter") == "1"
