"""What a node is to have, and when nothing may be decided."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingot.hostgateway.decision import Decision, decide
from ingot.hostgateway.model import ClusterNode
from ingot.hostgateway.problem import (
    CardUnknownError,
    HostGatewayError,
    NodeUnknownError,
    PodNetworkMissingError,
    PodNetworkOutsideError,
)
from ingot.hostgateway.surroundings import Surroundings
from tests.unit.hostgateway.clusters import CLUSTER, CONNECTED, HERE, VIP, A, B, C, card, node


def decided(*nodes: ClusterNode, here: Surroundings = HERE) -> Decision:
    found = {node.name: node for node in nodes}
    return decide(found, "a", here=here, cluster=CLUSTER, vip=VIP)


def test_the_cni_configuration_has_a_range_and_a_default_route_for_each_family() -> None:
    content = json.loads(decided(A, B, C).conflist)
    bridge, portmap = content["plugins"]
    assert content["name"] == "ingot"
    assert (bridge["type"], bridge["bridge"], bridge["isGateway"], bridge["hairpinMode"]) == (
        "bridge",
        "cni0",
        True,
        True,
    )
    assert bridge["ipam"] == {
        "type": "host-local",
        "ranges": [[{"subnet": "10.128.0.0/23"}], [{"subnet": "fd01:0:0:1::/64"}]],
        "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}],
    }
    assert portmap["capabilities"] == {"portMappings": True}


@pytest.mark.parametrize(
    ("network", "versions", "everywhere"),
    [("10.128.0.0/23", (4,), "0.0.0.0/0"), ("fd01:0:0:1::/64", (6,), "::/0")],
)
def test_a_cluster_of_one_family_has_nothing_of_the_other(
    network: str, versions: tuple[int, ...], everywhere: str
) -> None:
    found = decided(node("a", network, "192.168.111.20 fd2e::20"))
    ipam = json.loads(found.conflist)["plugins"][0]["ipam"]
    assert found.versions == versions
    assert ipam["ranges"] == [[{"subnet": network}]]
    assert ipam["routes"] == [{"dst": everywhere}]
    assert [str(one) for one in found.masquerade.sources] == [network]


def test_pods_have_the_mtu_of_the_card_that_leads_to_other_nodes() -> None:
    cards = (card("eth0", "192.168.111.20", mtu=9000), card("eth1", "fd2e::20", mtu=1400))
    found = decided(A, here=Surroundings(cards, CONNECTED))
    assert json.loads(found.conflist)["plugins"][0]["mtu"] == 1400


def test_only_this_nodes_pods_are_masqueraded_and_only_out_of_the_cluster() -> None:
    found = decided(A, B, C).masquerade
    assert found.sources == A.pod_networks
    assert found.cluster == CLUSTER


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([], NodeUnknownError),
        ([B, C], NodeUnknownError),
        ([replace(A, pod_networks=()), B], PodNetworkMissingError),
        ([node("a", "172.30.0.0/24", "192.168.111.20")], PodNetworkOutsideError),
        ([node("a", "10.128.0.0/23", "192.168.111.99")], CardUnknownError),
        ([node("a", "10.128.0.0/23")], CardUnknownError),
    ],
    ids=["no nodes", "not this one", "no pod network", "outside", "address elsewhere", "none"],
)
def test_in_doubt_nothing_is_decided(
    nodes: list[ClusterNode], expected: type[HostGatewayError]
) -> None:
    with pytest.raises(expected) as raised:
        decided(*nodes)
    assert raised.value.remedy
