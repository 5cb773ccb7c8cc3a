"""What is read of a Node."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from ingot.hostgateway.gateway import NODE, counts
from ingot.hostgateway.model import ClusterNode, node_of
from ingot.kube.changes import Change
from ingot.kube.object import KubeObject

JSON = (
    b'{"metadata":{"name":"a","resourceVersion":"%d"},"spec":{"podCIDRs":["10.128.0.0/23"]},'
    b'"status":{"addresses":[{"type":"InternalIP","address":"%s"}]}}'
)


def test_only_internal_addresses_and_networks_are_taken() -> None:
    content = {
        "metadata": {"name": "a"},
        "spec": {"podCIDR": "10.128.0.0/23", "podCIDRs": ["10.128.0.0/23", "fd01::/64"]},
        "status": {
            "addresses": [
                {"type": "Hostname", "address": "a"},
                {"type": "ExternalIP", "address": "192.0.2.1"},
                {"type": "InternalIP", "address": "192.168.111.20"},
                {"type": "InternalIP", "address": "fd2e::20"},
            ]
        },
    }
    assert node_of(content) == ClusterNode(
        "a",
        (ip_network("10.128.0.0/23"), ip_network("fd01::/64")),
        (ip_address("192.168.111.20"), ip_address("fd2e::20")),
    )


def test_a_node_that_has_just_come_has_nothing_yet() -> None:
    assert node_of({"metadata": {"name": "a"}}) == ClusterNode("a")


def test_the_old_field_counts_where_the_new_one_is_missing() -> None:
    found = node_of({"metadata": {"name": "a"}, "spec": {"podCIDR": "10.128.0.0/23"}})
    assert found.pod_networks == (ip_network("10.128.0.0/23"),)


def test_what_cannot_be_read_is_kept_apart() -> None:
    found = node_of(
        {
            "metadata": {"name": "a"},
            "spec": {"podCIDRs": ["10.128.0.1/23"]},
            "status": {
                "addresses": [
                    {"type": "InternalIP", "address": "a.example.com"},
                    {"type": "InternalIP", "address": "192.168.111.20"},
                ]
            },
        }
    )
    assert found.addresses == (ip_address("192.168.111.20"),)
    assert found.pod_networks == ()
    assert found.unreadable == ("10.128.0.1/23", "a.example.com")


def test_a_heartbeat_does_not_count_and_another_address_does() -> None:
    first = KubeObject(NODE, JSON % (1, b"192.168.111.20"))
    later = KubeObject(NODE, JSON % (2, b"192.168.111.20"))
    moved = KubeObject(NODE, JSON % (3, b"192.168.111.21"))
    assert not counts(Change(first, later))
    assert counts(Change(later, moved))
    assert counts(Change(None, first))
    assert counts(Change(first, None))
