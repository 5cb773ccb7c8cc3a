"""kubeadm's configuration of the cluster."""

from __future__ import annotations

from typing import Any

import yaml

from ingot.assets.kubeadm import kubeadm_yaml
from ingot.config.model import InstallConfig
from tests.unit.assets.clusters import PAYLOAD, cluster


def documents(config: InstallConfig) -> dict[str, dict[str, Any]]:
    return {one["kind"]: one for one in yaml.safe_load_all(kubeadm_yaml(config, PAYLOAD))}


def cluster_document(config: InstallConfig) -> dict[str, Any]:
    return documents(config)["ClusterConfiguration"]


def test_the_api_is_at_the_vip() -> None:
    said = cluster_document(cluster())
    assert said["controlPlaneEndpoint"] == "192.0.2.5:6443"
    assert set(said["apiServer"]["certSANs"]) == {
        "192.0.2.5",
        "api.rack1.example.com",
        "api-int.rack1.example.com",
        "127.0.0.1",
    }


def test_networks_are_the_configs_and_each_node_gets_its_share() -> None:
    said = cluster_document(cluster())
    assert said["networking"]["podSubnet"] == "10.128.0.0/14"
    assert said["networking"]["serviceSubnet"] == "172.30.0.0/16"
    assert said["controllerManager"]["extraArgs"] == [
        {"name": "node-cidr-mask-size", "value": "23"}
    ]


def test_two_families_have_two_shares() -> None:
    said = cluster_document(cluster("dual-stack"))
    assert said["networking"]["podSubnet"] == "10.128.0.0/14,fd01::/48"
    assert said["networking"]["serviceSubnet"] == "172.30.0.0/16,fd02::/112"
    assert said["controllerManager"]["extraArgs"] == [
        {"name": "node-cidr-mask-size-ipv4", "value": "23"},
        {"name": "node-cidr-mask-size-ipv6", "value": "64"},
    ]
    assert {"2001:db8:0:1::5", "::1"} <= set(said["apiServer"]["certSANs"])


def test_keys_are_elliptic_and_services_are_by_nftables() -> None:
    found = documents(cluster())
    assert found["ClusterConfiguration"]["encryptionAlgorithm"] == "ECDSA-P256"
    assert found["KubeProxyConfiguration"]["mode"] == "nftables"


def test_what_only_the_machine_knows_is_left_to_it() -> None:
    init = documents(cluster())["InitConfiguration"]
    assert "localAPIEndpoint" not in init
    assert "name" not in init["nodeRegistration"]
