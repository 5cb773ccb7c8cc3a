"""The networks of machines, pods and services."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from itertools import combinations

from ingot.config.model import ClusterNetwork, InstallConfig, MachineNetwork, NetworkType
from ingot.config.problem import Path, at, error, warning
from ingot.config.reading import IPV4, IPV6, IPAddress, IPNetwork
from ingot.config.registry import Findings, check, declare, retire

declare(
    "N1",
    "networkType is HostGateway or None.",
    note="OpenShift's network types are refused: this is the one change an OpenShift file needs.",
)
retire("N2", reason="an empty or absent list takes the default, as it does upstream.")
retire("N6", reason="the reserved subnets belong to OVN-Kubernetes, which is not installed.")
declare(
    "N13",
    "networkObservability's installationPolicy is a known word.",
    note="Upstream demands one; the whole section has no effect here (O1).",
)

DOCKER_BRIDGE = ipaddress.IPv4Network("172.17.0.0/16")
MIN_SERVICE_LENGTH = {IPV4: 12, IPV6: 108}
IPV6_HOST_PREFIX = 64
MAX_IPV4_HOST_PREFIX = 30
"""A /31 or /32 leaves a node no address for a pod beside its own bridge."""

MACHINE: Path = ("networking", "machineNetwork")
CLUSTER: Path = ("networking", "clusterNetwork")
SERVICE: Path = ("networking", "serviceNetwork")


def named_networks(config: InstallConfig) -> list[tuple[str, Path, IPNetwork]]:
    """Return every readable network with its kind and place."""
    networking = config.networking
    found: list[tuple[str, Path, IPNetwork | None]] = [
        *(
            ("service network", (*SERVICE, index), cidr)
            for index, cidr in enumerate(networking.service_network)
        ),
        *(
            ("machine network", (*MACHINE, index, "cidr"), entry.cidr)
            for index, entry in enumerate(networking.machine_network)
        ),
        *(
            ("cluster network", (*CLUSTER, index, "cidr"), entry.cidr)
            for index, entry in enumerate(networking.cluster_network)
        ),
    ]
    return [(kind, path, cidr) for kind, path, cidr in found if cidr is not None]


@check("N3", "Each machine, service and cluster network is given as a CIDR without host bits.")
def networks_are_given(config: InstallConfig) -> Findings:
    machine, cluster = config.networking.machine_network, config.networking.cluster_network
    places: list[tuple[Path, IPNetwork | None]] = [
        *(((*MACHINE, index, "cidr"), entry.cidr) for index, entry in enumerate(machine)),
        *(((*CLUSTER, index, "cidr"), entry.cidr) for index, entry in enumerate(cluster)),
    ]
    for path, cidr in places:
        if cidr is None:
            yield error(path, "a network has no cidr", "add it, such as `cidr: 192.0.2.0/24`")


def machine_networks_are_known(config: InstallConfig) -> bool:
    """Tell whether every machine network could be read."""
    entries = config.networking.machine_network
    return bool(entries) and all(entry.cidr is not None for entry in entries)


def is_in_no_machine_network(config: InstallConfig, address: IPAddress) -> bool:
    """Tell whether an address is outside; not, when a network that may hold it is unreadable."""
    inside = any(address in network for network in config.networking.machine_cidrs)
    return machine_networks_are_known(config) and not inside


@check(
    "N4",
    "A service network is /12 or smaller for IPv4, /108 or smaller for IPv6.",
    note="Upstream's message says /112 for IPv6; its code, and Kubernetes, take /108.",
)
def service_networks_are_small_enough(config: InstallConfig) -> Findings:
    for index, cidr in enumerate(config.networking.service_network):
        least = MIN_SERVICE_LENGTH[cidr.version]
        if cidr.prefixlen < least:
            yield error(
                (*SERVICE, index),
                f"service network {cidr} is larger than Kubernetes allows",
                f"use a prefix length of {least} or more",
            )


@check("N5", "No two of the machine, service and cluster networks overlap.")
def networks_do_not_overlap(config: InstallConfig) -> Findings:
    for (kind, _, cidr), (other_kind, path, other) in combinations(named_networks(config), 2):
        if cidr.overlaps(other):
            yield error(
                path,
                f"{other_kind} {other} overlaps {kind} {cidr}",
                "choose networks that share no address",
            )


@check("N7", "No network overlaps 172.17.0.0/16, which container engines use (warning).")
def networks_avoid_docker(config: InstallConfig) -> Findings:
    for kind, path, cidr in named_networks(config):
        if cidr.overlaps(DOCKER_BRIDGE):
            yield warning(
                path,
                f"{kind} {cidr} overlaps {DOCKER_BRIDGE}, which container engines use by default",
                "choose another network if such an engine runs on your machines",
            )


@check(
    "N8",
    "hostPrefix is at least the cluster network's own length; all IPv4 ones are equal, IPv6 is 64.",
    note="Upstream demands it for OVN-Kubernetes only; here it defaults to 23 and 64.",
)
def host_prefixes_fit(config: InstallConfig) -> Findings:
    first_ipv4: int | None = None
    for index, entry in enumerate(config.networking.cluster_network):
        if entry.cidr is None or entry.host_prefix is None:
            continue
        path, prefix = (*CLUSTER, index, "hostPrefix"), entry.host_prefix
        if prefix < entry.cidr.prefixlen:
            yield error(
                path,
                f"hostPrefix {prefix} is larger than the whole network {entry.cidr}",
                f"use a prefix of {entry.cidr.prefixlen} or more",
            )
        elif entry.cidr.version == IPV6 and prefix != IPV6_HOST_PREFIX:
            yield error(path, f"hostPrefix {prefix} does not go with IPv6", "write 64")
        if entry.cidr.version == IPV4:
            first_ipv4 = prefix if first_ipv4 is None else first_ipv4
            if prefix != first_ipv4:
                yield error(
                    path,
                    f"hostPrefix {prefix} differs from {first_ipv4} of another IPv4 network",
                    "use one hostPrefix for all",
                )


@check(
    "X14",
    "An IPv4 hostPrefix is at most 30, so that a node has addresses for its pods.",
    note="Upstream accepts any number, 33 and more included.",
)
def host_prefixes_leave_room(config: InstallConfig) -> Findings:
    for index, entry in enumerate(config.networking.cluster_network):
        prefix = entry.host_prefix
        if entry.cidr is None or prefix is None or entry.cidr.version != IPV4:
            continue
        if prefix > MAX_IPV4_HOST_PREFIX:
            yield error(
                (*CLUSTER, index, "hostPrefix"),
                f"hostPrefix {prefix} leaves a node no addresses for pods",
                "use 24, which gives a node 254",
            )


@check(
    "X21",
    "The cluster networks have a part for every host.",
    needs=(CLUSTER, at("hosts")),
    note="Upstream checks this only against OVN-Kubernetes' join subnet.",
)
def networks_have_room_for_hosts(config: InstallConfig) -> Findings:
    hosts = len(config.baremetal.hosts)
    for version in (IPV4, IPV6):
        parts = [
            2 ** (entry.host_prefix - entry.cidr.prefixlen)
            for entry in config.networking.cluster_network
            if entry.cidr is not None
            and entry.cidr.version == version
            and entry.host_prefix is not None
            and entry.cidr.prefixlen <= entry.host_prefix <= entry.cidr.max_prefixlen
        ]
        if parts and sum(parts) < hosts:
            yield error(
                CLUSTER,
                f"the IPv{version} cluster networks have parts for {sum(parts)} nodes, "
                f"and {hosts} hosts are listed",
                "use a larger network, or a longer hostPrefix",
            )


@check(
    "N9",
    "Two families of service network make the cluster dual stack; every list then has both.",
    needs=(MACHINE, CLUSTER, SERVICE),
    note="As upstream, dual stack is decided by the service networks alone; see X22. That it has "
    "exactly two of them follows from N10.",
)
def dual_stack_is_whole(config: InstallConfig) -> Findings:
    networking = config.networking
    if not is_dual_stack(config):
        return
    for name, path, families in (
        ("machine", MACHINE, _families(networking.machine_network)),
        ("cluster", CLUSTER, _families(networking.cluster_network)),
    ):
        if len(families) == 1:
            missing = IPV6 if families == {IPV4} else IPV4
            yield error(
                path,
                f"the service networks are dual stack, and the {name} networks lack IPv{missing}",
                f"add an IPv{missing} {name} network",
            )


@check(
    "X22",
    "Cluster networks have the family of the service networks, and machines no unused one "
    "(warning).",
    needs=(MACHINE, CLUSTER, SERVICE),
    note="Upstream lets two families of machine network pass with one of service.",
)
def families_agree(config: InstallConfig) -> Findings:
    networking = config.networking
    families = {cidr.version for cidr in networking.service_network}
    if len(families) != 1:
        return
    (family,) = families
    if _families(networking.cluster_network) not in (set(), families):
        yield error(
            CLUSTER,
            f"the cluster networks are not all IPv{family}, as the service network is",
            "use one family for both, or a service network of each family for dual stack",
        )
    machine = _families(networking.machine_network)
    if machine and family not in machine:
        yield error(
            MACHINE,
            f"no machine network is IPv{family}, as the service network is",
            f"add an IPv{family} machine network, or change the service network",
        )
    elif len(machine) > 1:
        yield warning(
            MACHINE,
            f"machines have two families, and services only IPv{family}",
            "add a service and a cluster network of the other family for dual stack",
        )


def _families(entries: Sequence[MachineNetwork | ClusterNetwork]) -> set[int]:
    """Return the families of a list's networks; none when one of them is not known."""
    versions = [entry.cidr.version if entry.cidr else None for entry in entries]
    return {version for version in versions if version} if all(versions) else set()


def is_dual_stack(config: InstallConfig) -> bool:
    """Tell whether services have addresses of both families."""
    return len({cidr.version for cidr in config.networking.service_network}) > 1


@check(
    "N10",
    "There is one service network of each family.",
    note="Upstream demands it of IPv4, and of dual stack as a whole (N9).",
)
def service_networks_are_one_a_family(config: InstallConfig) -> Findings:
    seen: set[int] = set()
    for index, cidr in enumerate(config.networking.service_network):
        if cidr.version in seen:
            yield error(
                (*SERVICE, index),
                f"{cidr} is a second IPv{cidr.version} service network",
                "keep one of each family",
            )
        seen.add(cidr.version)


@check("N11", "clusterNetworkMTU is not set on bare metal.")
def mtu_is_not_set(config: InstallConfig) -> Findings:
    if config.networking.cluster_network_mtu:
        yield error(
            ("networking", "clusterNetworkMTU"),
            "clusterNetworkMTU cannot be set on bare metal",
            "remove it; the pod network takes its MTU from the servers' cards",
        )


@check(
    "N12",
    "ovnKubernetesConfig is not given: OVN-Kubernetes is not installed.",
    note="Upstream checks the join subnet for OVN-Kubernetes, and refuses it at networkType else. "
    "Here the field itself is named.",
)
def ovn_is_not_configured(config: InstallConfig) -> Findings:
    if config.networking.ovn_kubernetes_config is not None:
        yield error(
            ("networking", "ovnKubernetesConfig"),
            "ovnKubernetesConfig is about OVN-Kubernetes, which is not installed",
            "remove it",
        )


@check("X24", "A cluster that brings its own CNI is told what that takes (warning).")
def own_cni_is_needed(config: InstallConfig) -> Findings:
    if config.networking.network_type is NetworkType.NONE:
        yield warning(
            ("networking", "networkType"),
            "networkType None installs no pod network",
            "put your CNI's manifests into manifests/, or nodes stay NotReady",
        )
