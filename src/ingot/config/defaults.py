"""What a config means where it is silent.

Nothing here is random or looked up: the MAC addresses of the bootstrap VM are made when it is, and
the VIPs are required instead of being asked of a DNS whose answer may change between two runs.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Sequence

from ingot.config.model import (
    BareMetal,
    ClusterNetwork,
    InstallConfig,
    MachineNetwork,
    MachinePool,
    Networking,
    ProvisioningNetwork,
)
from ingot.config.problem import Path, at
from ingot.config.reading import IPV4, IPV6, AddressRange, IPAddress, IPNetwork
from ingot.config.registry import touches

__all__ = ["complete"]

MACHINE_NETWORK = ipaddress.IPv4Network("10.0.0.0/16")
CLUSTER_NETWORK = ipaddress.IPv4Network("10.128.0.0/14")
SERVICE_NETWORK = ipaddress.IPv4Network("172.30.0.0/16")
PROVISIONING_NETWORK = ipaddress.IPv4Network("172.22.0.0/24")
HOST_PREFIX = {IPV4: 23, IPV6: 64}
POOL_REPLICAS = 3

PROVISIONING_CIDR = at("provisioningNetworkCIDR")

BOOTSTRAP_HOST, CLUSTER_HOST, FIRST_DHCP_HOST = 2, 3, 10
"""Addresses within the provisioning network, counted from its base."""


def complete(config: InstallConfig, *, broken: Collection[Path] = ()) -> InstallConfig:
    """Return the config with every default filled in.

    Args:
        config: what the file says.
        broken: places that were given but could not be used. No network is made up for one of
            them, since checks against it would find what nobody wrote.
    """
    networking = _complete_networking(config.networking, broken)
    platform = config.platform
    if platform.baremetal is not None and not _is_broken(PROVISIONING_CIDR, broken):
        baremetal = _complete_baremetal(platform.baremetal, networking.machine_cidrs)
        platform = platform.model_copy(update={"baremetal": baremetal})
    return config.model_copy(
        update={
            "networking": networking,
            "platform": platform,
            "control_plane": _complete_pool(config.control_plane, "master"),
            "compute": _complete_compute(config.compute),
        }
    )


def _complete_networking(networking: Networking, broken: Collection[Path]) -> Networking:
    update: dict[str, object] = {}
    if not networking.machine_network and not _is_broken(("networking", "machineNetwork"), broken):
        update["machine_network"] = (MachineNetwork(cidr=MACHINE_NETWORK),)
    if not networking.service_network and not _is_broken(("networking", "serviceNetwork"), broken):
        update["service_network"] = (SERVICE_NETWORK,)
    cluster = networking.cluster_network
    if not cluster and not _is_broken(("networking", "clusterNetwork"), broken):
        cluster = (ClusterNetwork(cidr=CLUSTER_NETWORK),)
    update["cluster_network"] = tuple(_complete_cluster_network(entry) for entry in cluster)
    return networking.model_copy(update=update)


def _is_broken(place: Path, broken: Collection[Path]) -> bool:
    return any(touches(path, place) for path in broken)


def _complete_cluster_network(entry: ClusterNetwork) -> ClusterNetwork:
    if entry.host_prefix is not None or entry.cidr is None:
        return entry
    return entry.model_copy(update={"host_prefix": HOST_PREFIX[entry.cidr.version]})


def _complete_pool(pool: MachinePool, name: str) -> MachinePool:
    replicas = POOL_REPLICAS if pool.replicas is None else pool.replicas
    return pool.model_copy(update={"name": pool.name or name, "replicas": replicas})


def _complete_compute(pools: Sequence[MachinePool]) -> tuple[MachinePool, ...]:
    # Upstream adds a worker pool whenever none is called so; M3 refuses those other names, and a
    # pool nobody wrote would then be counted among the hosts that are missing.
    return tuple(_complete_pool(pool, pool.name) for pool in pools or (MachinePool(name="worker"),))


def _complete_baremetal(platform: BareMetal, machine: Sequence[IPNetwork]) -> BareMetal:
    if platform.provisioning_network is ProvisioningNetwork.DISABLED:
        return _complete_disabled(platform, machine)
    network = platform.provisioning_network_cidr or PROVISIONING_NETWORK
    update: dict[str, object] = {
        "provisioning_network_cidr": network,
        "provisioning_bridge": platform.provisioning_bridge or "provisioning",
        "bootstrap_provisioning_ip": platform.bootstrap_provisioning_ip
        or host_of(network, BOOTSTRAP_HOST),
        "cluster_provisioning_ip": platform.cluster_provisioning_ip
        or host_of(network, CLUSTER_HOST),
    }
    if platform.provisioning_network is ProvisioningNetwork.MANAGED:
        update["provisioning_dhcp_range"] = platform.provisioning_dhcp_range or _dhcp_range(network)
    return platform.model_copy(update=update)


def _complete_disabled(platform: BareMetal, machine: Sequence[IPNetwork]) -> BareMetal:
    """Without a provisioning network, its address lies in a machine network."""
    address = platform.cluster_provisioning_ip
    if platform.provisioning_network_cidr is not None or address is None:
        return platform
    holding = next((network for network in machine if address in network), None)
    return platform.model_copy(update={"provisioning_network_cidr": holding})


def host_of(network: IPNetwork, number: int) -> IPAddress | None:
    """Return a host's address by its number, if the network is large enough for one."""
    return network[number] if number < network.num_addresses - 1 else None


def _dhcp_range(network: IPNetwork) -> AddressRange | None:
    """Return the range from the tenth address to the last before broadcast, if there is room."""
    last = network.num_addresses - 2
    if last < FIRST_DHCP_HOST:
        return None
    return AddressRange(network[FIRST_DHCP_HOST], network[last])
