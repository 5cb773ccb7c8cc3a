"""The CNI configuration of a node, as containerd reads it.

A bridge that is the pods' gateway, addresses from the node's own networks, and host ports. Nothing
is masqueraded by the plugin: `masquerade` does that, by one rule and not by one for each pod.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from ingot.hostgateway.model import Network

__all__ = ["BRIDGE", "FILE_NAME", "conflist"]

FILE_NAME: Final = "10-ingot.conflist"
BRIDGE: Final = "cni0"

EVERYWHERE: Final = {4: "0.0.0.0/0", 6: "::/0"}


def conflist(pod_networks: Sequence[Network], *, mtu: int) -> str:
    """Return the configuration for the networks of a node's pods.

    Args:
        pod_networks: one of each family at most.
        mtu: bytes of the largest packet that other nodes take.
    """
    content: dict[str, Any] = {
        "cniVersion": "1.0.0",
        "name": "ingot",
        "plugins": [
            {
                "type": "bridge",
                "bridge": BRIDGE,
                "isGateway": True,
                # A node that was removed and has joined anew may have other networks.
                "forceAddress": True,
                # A pod reaches itself by its Service.
                "hairpinMode": True,
                "mtu": mtu,
                "ipam": {
                    "type": "host-local",
                    "ranges": [[{"subnet": str(network)}] for network in pod_networks],
                    "routes": [{"dst": EVERYWHERE[network.version]} for network in pod_networks],
                },
            },
            {
                "type": "portmap",
                # By default iptables, which would be a second set of rules beside kube-proxy's.
                "backend": "nftables",
                "capabilities": {"portMappings": True},
            },
        ],
    }
    return json.dumps(content, indent=2) + "\n"
