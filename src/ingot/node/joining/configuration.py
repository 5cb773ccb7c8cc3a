"""What kubeadm is told: how it knows the cluster, and what this node is to be."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ingot.configserver.joinfile import JoinFacts
from ingot.configserver.role import Role
from ingot.node.patience import FOLDER as PATCHES
from ingot.node.tolerating import UML_CHECKS

__all__ = ["DISCOVERY_FILE", "discovery", "join_configuration"]

DISCOVERY_FILE: Final = "discovery.conf"
API_PORT: Final = 6443
CRI_SOCKET: Final = "unix:///var/run/containerd/containerd.sock"

_IGNORED: Final = ("DirAvailable--etc-kubernetes-manifests",)
"""The static pod of the node's network is there before kubeadm is."""

_TIMEOUTS: Final = {
    "controlPlaneComponentHealthCheck": "10m0s",
    "discovery": "5m0s",
    # etcd takes one newcomer at a time; a third waits for two others to have caught up.
    "etcdAPICall": "10m0s",
    "kubeletHealthCheck": "10m0s",
    "kubernetesAPICall": "2m0s",
    "tlsBootstrap": "10m0s",
}
"""kubeadm's own are made for machines that have a processor to themselves."""


def discovery(facts: JoinFacts) -> str:
    """Return a kubeconfig that says where the cluster is and how to know it, and has no secret."""
    packed = base64.b64encode(facts.ca_certificate.encode()).decode()
    return _document(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": "",
                    "cluster": {
                        "server": facts.api_server,
                        "certificate-authority-data": packed,
                    },
                }
            ],
        }
    )


def join_configuration(
    facts: JoinFacts, addresses: Sequence[str], *, folder: Path, uml: bool
) -> str:
    """Return what `kubeadm join --config` reads; it holds the token.

    Args:
        facts: what this node was told.
        addresses: its own, one of each family, the one that it is known by first.
        folder: where the discovery file is, and patches for static pods.
        uml: whether this machine is a User-Mode Linux.
    """
    registration: dict[str, Any] = {
        "name": facts.name,
        "criSocket": CRI_SOCKET,
        "kubeletExtraArgs": [{"name": "node-ip", "value": ",".join(addresses)}],
        "ignorePreflightErrors": [*_IGNORED, *(UML_CHECKS if uml else ())],
    }
    made: dict[str, Any] = {
        "apiVersion": "kubeadm.k8s.io/v1beta4",
        "kind": "JoinConfiguration",
        "discovery": {
            "file": {"kubeConfigPath": str(folder / DISCOVERY_FILE)},
            "tlsBootstrapToken": facts.token,
        },
        "nodeRegistration": registration,
        "timeouts": _TIMEOUTS,
    }
    if facts.role is Role.CONTROL_PLANE:
        made["controlPlane"] = {
            "localAPIEndpoint": {"advertiseAddress": addresses[0], "bindPort": API_PORT}
        }
        if uml:
            made["patches"] = {"directory": str(folder / PATCHES)}
    return _document(made)


def _document(content: dict[str, Any]) -> str:
    """Return JSON, which is YAML too, and needs nothing to be quoted."""
    return json.dumps(content, indent=2) + "\n"
