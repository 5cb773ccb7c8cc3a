"""What can be wrong with a node's way to pods, each with what to do about it.

Every one of them leaves the last good state in place: pods that run go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ingot.errors import ExitCode, IngotError
from ingot.hostgateway.model import Address, Network

__all__ = [
    "BadAnswerError",
    "CardUnknownError",
    "HostGatewayError",
    "NodeUnknownError",
    "PodNetworkMissingError",
    "PodNetworkOutsideError",
    "UnwritableError",
]


class HostGatewayError(IngotError):
    """Something about a node's way to pods that a person can act on."""

    exit_code = ExitCode.INFRASTRUCTURE


class NodeUnknownError(HostGatewayError):
    """This node is not among the cluster's Nodes."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is no Node {name}; routes and the CNI configuration stay as they are",
            remedy="see whether the kubelet of this node has registered: `kubectl get nodes`",
        )


class PodNetworkMissingError(HostGatewayError):
    """This node has not been given a network for its pods."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Node {name} has no spec.podCIDRs yet",
            remedy="see whether kube-controller-manager runs with --allocate-node-cidrs, and "
            "whether the cluster network has a free part",
        )


class PodNetworkOutsideError(HostGatewayError):
    """This node's own pod network is not one of the cluster's."""

    def __init__(self, name: str, network: Network, cluster: Iterable[Network]) -> None:
        super().__init__(
            f"pod network {network} of Node {name} is not within the cluster networks: "
            f"{', '.join(map(str, cluster))}",
            remedy="give kube-controller-manager's --cluster-cidr and INGOT_CLUSTER_NETWORKS the "
            "same networks",
        )


class CardUnknownError(HostGatewayError):
    """None of this node's network cards has the address that the cluster knows it by."""

    def __init__(self, name: str, addresses: Iterable[Address]) -> None:
        shown = ", ".join(map(str, addresses)) or "none"
        super().__init__(
            f"no network card has an address of Node {name} (InternalIP: {shown})",
            remedy="compare `ip address` with the Node's addresses; restart the kubelet if the "
            "address of the machine has changed",
        )


class UnwritableError(HostGatewayError):
    """A file cannot be written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path} cannot be written: {why}",
            remedy=f"see `ls -ld {path.parent}` and `df {path.parent}`; what was there stays",
        )


class BadAnswerError(HostGatewayError):
    """A program answered in a way that cannot be understood."""

    def __init__(self, program: str, said: str) -> None:
        super().__init__(
            f"{program} gave an answer that cannot be used: {said[:300]!r}",
            remedy="check that it is the version that the node image has",
        )
