"""`networking`: the address ranges of machines, pods and services."""

from __future__ import annotations

from typing import Annotated

from ingot.config.model.section import Deprecated, Section
from ingot.config.model.words import NetworkType, ObservabilityPolicy
from ingot.config.reading import IPNetwork, choice, network

__all__ = ["ClusterNetwork", "MachineNetwork", "NetworkObservability", "NetworkType", "Networking"]


class MachineNetwork(Section):
    """A network that servers have their addresses in."""

    cidr: Annotated[IPNetwork | None, network("N3")] = None
    """The network, such as `192.0.2.0/24`."""


class ClusterNetwork(Section):
    """A range that pods get their addresses from."""

    cidr: Annotated[IPNetwork | None, network("N3")] = None
    """The range, such as `10.128.0.0/14`."""

    host_prefix: int | None = None
    """The prefix length of the part that each node gets: 23 gives it 510 pod addresses. IPv6
    ranges must have 64."""

    host_subnet_length: Annotated[int | None, Deprecated("hostPrefix")] = None
    """The old form of `hostPrefix`, counted from the other end."""


class NetworkObservability(Section):
    """OpenShift's network observability."""

    installation_policy: Annotated[
        ObservabilityPolicy | None, choice("N13", ObservabilityPolicy)
    ] = None
    """Whether it is installed."""


class Networking(Section):
    """The cluster's networks. Two address families make the cluster dual stack."""

    network_type: Annotated[
        NetworkType,
        choice("N1", NetworkType, remedy="write HostGateway, or None to bring a CNI in manifests/"),
    ] = NetworkType.HOST_GATEWAY
    """How pods reach each other: `HostGateway` uses the standard CNI plugins and routes between
    hosts; `None` installs nothing, for a CNI of your own in `manifests/`."""

    machine_network: tuple[MachineNetwork, ...] = ()
    """The networks of the servers. The virtual IPs lie in them."""

    cluster_network: tuple[ClusterNetwork, ...] = ()
    """The ranges of the pods."""

    service_network: tuple[Annotated[IPNetwork, network("N3")], ...] = ()
    """The ranges of the services: one, or one of each family for dual stack."""

    cluster_network_mtu: int = 0
    """The MTU of the pod network. It cannot be set on bare metal."""

    ovn_kubernetes_config: object = None
    """Options of OVN-Kubernetes, which Ingot does not install."""

    network_observability: NetworkObservability | None = None
    """Options of OpenShift's network observability. They have no effect."""

    machine_cidr: Annotated[
        IPNetwork | None, network("N3"), Deprecated("networking.machineNetwork")
    ] = None
    """The old form of `machineNetwork`, for one network."""

    type: Annotated[str, Deprecated("networking.networkType")] = ""
    """The old form of `networkType`."""

    service_cidr: Annotated[
        IPNetwork | None, network("N3"), Deprecated("networking.serviceNetwork")
    ] = None
    """The old form of `serviceNetwork`, for one range."""

    cluster_networks: Annotated[
        tuple[ClusterNetwork, ...], Deprecated("networking.clusterNetwork")
    ] = ()
    """The old form of `clusterNetwork`."""

    @property
    def machine_cidrs(self) -> list[IPNetwork]:
        """The machine networks that could be read."""
        return [entry.cidr for entry in self.machine_network if entry.cidr]

    @property
    def cluster_cidrs(self) -> list[IPNetwork]:
        """The pod ranges that could be read."""
        return [entry.cidr for entry in self.cluster_network if entry.cidr]
