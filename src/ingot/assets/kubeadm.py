"""kubeadm's configuration for the bootstrap VM, which makes the cluster.

What only the machine knows is added there, to the InitConfiguration: `localAPIEndpoint`, the node's
name and its `node-ip`. Everything else is the cluster's, and kubeadm keeps it in the cluster for
the nodes that join.
"""

from __future__ import annotations

from collections.abc import Mapping

from ingot.assets.documents import Json, yaml_of
from ingot.assets.endpoints import api_address, api_names
from ingot.assets.payload import Payload
from ingot.config.model import ClusterNetwork, InstallConfig
from ingot.config.reading import IPV6

__all__ = ["TIMEOUTS", "init_documents", "kubeadm_yaml"]

API = "kubeadm.k8s.io/v1beta4"

TIMEOUTS = {
    "controlPlaneComponentHealthCheck": "10m0s",
    "discovery": "10m0s",
    "etcdAPICall": "5m0s",
    "kubeletHealthCheck": "10m0s",
    "kubernetesAPICall": "10m0s",
    "tlsBootstrap": "10m0s",
}
"""kubeadm's own, of one to five minutes, end before a busy machine is ready."""

SLOW_ETCD = {"heartbeat-interval": "500", "election-timeout": "5000"}
"""In milliseconds. With etcd's own, of 100 and 1000, a machine that shares its processor with three
others misses heartbeats, and members elect leaders instead of serving."""

SLOW_LEASES = {
    "leader-elect-lease-duration": "60s",
    "leader-elect-renew-deadline": "40s",
    "leader-elect-retry-period": "10s",
}
"""Those of 15, 10 and 2 seconds end a controller manager whenever the API is busy for a while."""


def kubeadm_yaml(config: InstallConfig, payload: Payload) -> bytes:
    """Return kubeadm.yaml."""
    return yaml_of(*init_documents(config, payload))


def init_documents(config: InstallConfig, payload: Payload) -> tuple[Json, ...]:
    """Return the documents of kubeadm.yaml, the InitConfiguration first."""
    return (
        {
            "apiVersion": API,
            "kind": "InitConfiguration",
            "nodeRegistration": {"imagePullPolicy": "IfNotPresent"},
            "timeouts": dict(TIMEOUTS),
        },
        _cluster(config, payload),
        {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            # The node's own DNS writes it, and the servers in it may be asked from pods.
            "resolvConf": "/etc/resolv.conf",
            # Approved by the machine controller, which holds it against Machine and host.
            "serverTLSBootstrap": True,
        },
        {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "mode": "nftables",
        },
    )


def _cluster(config: InstallConfig, payload: Payload) -> Json:
    networking = config.networking
    leases = SLOW_LEASES if payload.slow else {}
    return {
        "apiVersion": API,
        "kind": "ClusterConfiguration",
        "clusterName": config.metadata.name,
        "kubernetesVersion": payload.kubernetes,
        "controlPlaneEndpoint": api_address(config),
        "encryptionAlgorithm": "ECDSA-P256",
        "apiServer": {"certSANs": _sans(config)},
        "controllerManager": {
            "extraArgs": _arguments(_mask_sizes(networking.cluster_network) | leases)
        },
        "scheduler": {"extraArgs": _arguments(leases)},
        "etcd": {"local": {"extraArgs": _arguments(SLOW_ETCD if payload.slow else {})}},
        "networking": {
            "dnsDomain": "cluster.local",
            "podSubnet": ",".join(map(str, networking.cluster_cidrs)),
            "serviceSubnet": ",".join(map(str, networking.service_network)),
        },
    }


def _sans(config: InstallConfig) -> list[str]:
    vips = config.baremetal.api_vips
    loopback = ["127.0.0.1", *(["::1"] if any(vip.version == IPV6 for vip in vips) else [])]
    return [*map(str, vips), *api_names(config), *loopback]


def _arguments(given: Mapping[str, str]) -> list[Json]:
    return [{"name": name, "value": value} for name, value in given.items()]


def _mask_sizes(networks: tuple[ClusterNetwork, ...]) -> dict[str, str]:
    """Return how large the part of a network is that each node gets.

    With two families the flags carry the family's name; with one they must not.
    """
    sized = [one for one in networks if one.cidr is not None and one.host_prefix is not None]
    families = {one.cidr.version for one in sized if one.cidr is not None}
    found = {}
    for one in sized:
        if one.cidr is not None:
            suffix = f"-ipv{one.cidr.version}" if len(families) > 1 else ""
            found[f"node-cidr-mask-size{suffix}"] = str(one.host_prefix)
    return found
