"""The provisioning network: its mode, its range and the addresses in it."""

from __future__ import annotations

from ingot.config.model import InstallConfig, ProvisioningNetwork
from ingot.config.model.words import DnsRecordsType
from ingot.config.problem import Finding, Path, at, error
from ingot.config.reading import IPV4, IPV6, IPAddress, IPNetwork
from ingot.config.registry import Findings, check, declare
from ingot.config.rules.networking import (
    CLUSTER,
    MACHINE,
    SERVICE,
    is_in_no_machine_network,
)

declare("B1", "provisioningNetwork is Managed, Unmanaged or Disabled.")
declare("B2", "Provisioning addresses and the provisioning gateway are IP addresses.")
declare("B10", "loadBalancer.type is OpenShiftManagedDefault or UserManaged.")

MODE = at("provisioningNetwork")
CIDR = at("provisioningNetworkCIDR")
DHCP_RANGE = at("provisioningDHCPRange")
GATEWAY = at("provisioningNetworkGateway")
BOOTSTRAP_IP = at("bootstrapProvisioningIP")
CLUSTER_IP = at("clusterProvisioningIP")

MIN_MANAGED_IPV6_LENGTH = 64
POINT_TO_POINT = 31


@check(
    "B11",
    "dnsRecordsType External goes with a UserManaged load balancer only.",
    needs=(at("loadBalancer"),),
)
def external_dns_needs_own_balancer(config: InstallConfig) -> Findings:
    platform = config.baremetal
    if platform.dns_records_type is DnsRecordsType.EXTERNAL and not platform.vips_are_user_managed:
        yield error(
            at("dnsRecordsType"),
            "dnsRecordsType External needs a load balancer of your own",
            "set loadBalancer.type to UserManaged, or dnsRecordsType to Internal",
        )


@check(
    "R2",
    "Without a provisioning network, bootstrapProvisioningIP lies in a machine network.",
    needs=(MODE,),
)
def bootstrap_ip_is_local_when_disabled(config: InstallConfig) -> Findings:
    address = config.baremetal.bootstrap_provisioning_ip
    if config.baremetal.has_provisioning_network or address is None:
        return
    if is_in_no_machine_network(config, address):
        yield error(
            BOOTSTRAP_IP,
            f"bootstrapProvisioningIP {address} is in no machine network",
            "choose a free address of a machine network, or leave it out",
        )


@check(
    "R3",
    "bootstrapProvisioningIP lies in the provisioning network and in no machine network.",
    needs=(MODE, CIDR),
    note="A machine network that overlaps the provisioning network is R9's to tell.",
)
def bootstrap_ip_is_in_provisioning_network(config: InstallConfig) -> Findings:
    platform = config.baremetal
    address, network = platform.bootstrap_provisioning_ip, platform.provisioning_network_cidr
    if not platform.has_provisioning_network or network is None:
        return
    if address is None:
        yield _no_room(BOOTSTRAP_IP, network)
    elif address not in network:
        yield error(
            BOOTSTRAP_IP,
            f"bootstrapProvisioningIP {address} is not in provisioningNetworkCIDR {network}",
            "choose an address of that network, or leave it out",
        )


def _no_room(path: Path, network: IPNetwork) -> Finding:
    return error(
        path,
        f"{path[-1]} is not given, and provisioningNetworkCIDR {network} is too small for its "
        "default",
        f"use a larger network, or give {path[-1]}",
    )


@check("R8", "A Managed IPv6 provisioning network has a prefix length of 64 or more.")
def managed_ipv6_is_small_enough(config: InstallConfig) -> Findings:
    platform = config.baremetal
    network = platform.provisioning_network_cidr
    managed = platform.provisioning_network is ProvisioningNetwork.MANAGED
    if not managed or network is None or network.version != IPV6:
        return
    if network.prefixlen < MIN_MANAGED_IPV6_LENGTH:
        yield error(
            CIDR,
            f"provisioningNetworkCIDR {network} is larger than dnsmasq can serve",
            "use a prefix length of 64 or more",
        )


@check(
    "R9",
    "provisioningNetworkCIDR has no host bits and overlaps no machine network.",
    needs=(MODE, MACHINE, CIDR),
)
def provisioning_network_is_apart(config: InstallConfig) -> Findings:
    yield from _overlaps(
        config, [("machine network", cidr) for cidr in config.networking.machine_cidrs]
    )


@check(
    "X10",
    "provisioningNetworkCIDR overlaps no service or cluster network.",
    needs=(MODE, CIDR, SERVICE, CLUSTER),
    note="Upstream compares it with machine networks only.",
)
def provisioning_network_is_apart_from_pods(config: InstallConfig) -> Findings:
    networking = config.networking
    yield from _overlaps(
        config,
        [
            *(("service network", cidr) for cidr in networking.service_network),
            *(("cluster network", cidr) for cidr in networking.cluster_cidrs),
        ],
    )


def _overlaps(config: InstallConfig, others: list[tuple[str, IPNetwork]]) -> Findings:
    platform = config.baremetal
    network = platform.provisioning_network_cidr
    if not platform.has_provisioning_network or network is None:
        return
    for kind, other in others:
        if network.overlaps(other):
            yield error(
                CIDR,
                f"provisioningNetworkCIDR {network} overlaps {kind} {other}",
                "choose networks that share no address",
            )


@check(
    "R10",
    "clusterProvisioningIP lies in the provisioning network; in a machine network when Disabled.",
    needs=(MODE, CIDR),
    note="Upstream has the part about Disabled in its rule about BMCs (R7).",
)
def cluster_ip_is_in_provisioning_network(config: InstallConfig) -> Findings:
    platform = config.baremetal
    address, network = platform.cluster_provisioning_ip, platform.provisioning_network_cidr
    if not platform.has_provisioning_network:
        if address is not None and is_in_no_machine_network(config, address):
            yield error(
                CLUSTER_IP,
                f"clusterProvisioningIP {address} is in no machine network",
                "choose a free address of a machine network, or leave it out",
            )
    elif network is None:
        return
    elif address is None:
        yield _no_room(CLUSTER_IP, network)
    elif address not in network:
        yield error(
            CLUSTER_IP,
            f"clusterProvisioningIP {address} is not in provisioningNetworkCIDR {network}",
            "choose an address of that network, or leave it out",
        )


@check(
    "R11",
    "provisioningNetworkGateway lies in the provisioning network, is a host address there, and is "
    "neither provisioning address.",
    needs=(MODE, CIDR),
    note="Upstream compares it with clusterProvisioningIP only.",
)
def gateway_is_a_host_of_its_own(config: InstallConfig) -> Findings:
    platform = config.baremetal
    gateway, network = platform.provisioning_network_gateway, platform.provisioning_network_cidr
    if gateway is None or network is None or not platform.has_provisioning_network:
        return
    if gateway not in network:
        yield error(
            GATEWAY,
            f"provisioningNetworkGateway {gateway} is not in provisioningNetworkCIDR {network}",
            "choose the router's address on that network",
        )
    elif gateway in _reserved(network):
        yield error(
            GATEWAY,
            f"provisioningNetworkGateway {gateway} is the network or broadcast address",
            "choose the router's own address",
        )
    for name, address in (
        ("clusterProvisioningIP", platform.cluster_provisioning_ip),
        ("bootstrapProvisioningIP", platform.bootstrap_provisioning_ip),
    ):
        if gateway == address:
            yield error(
                GATEWAY, f"provisioningNetworkGateway {gateway} is also {name}", "choose another"
            )


def _reserved(network: IPNetwork) -> set[IPAddress]:
    """Return the addresses of an IPv4 network that no host can have."""
    if network.version != IPV4 or network.prefixlen >= POINT_TO_POINT:
        return set()
    return {network.network_address, network.broadcast_address}


@check(
    "R13",
    "provisioningDHCPRange is two addresses of the provisioning network, and holds neither "
    "provisioning address nor the gateway.",
    needs=(MODE, CIDR, DHCP_RANGE),
)
def dhcp_range_is_free(config: InstallConfig) -> Findings:
    platform = config.baremetal
    leased, network = platform.provisioning_dhcp_range, platform.provisioning_network_cidr
    if leased is None or network is None or not platform.has_provisioning_network:
        return
    for end in (leased.start, leased.end):
        if end not in network:
            yield error(
                DHCP_RANGE,
                f"provisioningDHCPRange's {end} is not in provisioningNetworkCIDR {network}",
                "choose two addresses of that network",
            )
    for name, path, address in (
        ("clusterProvisioningIP", CLUSTER_IP, platform.cluster_provisioning_ip),
        ("bootstrapProvisioningIP", BOOTSTRAP_IP, platform.bootstrap_provisioning_ip),
        ("provisioningNetworkGateway", GATEWAY, platform.provisioning_network_gateway),
    ):
        if address is not None and address in leased:
            yield error(
                path,
                f"{name} {address} lies in provisioningDHCPRange {leased}",
                "choose an address outside the range, or shorten the range",
            )


@check(
    "X11",
    "provisioningDHCPRange runs upwards, and a Managed network has room for one.",
    needs=(MODE, CIDR, DHCP_RANGE),
    note="Upstream accepts a reversed range, from which nothing is ever leased.",
)
def dhcp_range_runs_upwards(config: InstallConfig) -> Findings:
    platform = config.baremetal
    leased = platform.provisioning_dhcp_range
    if leased is not None and int(leased.start) > int(leased.end):
        yield error(
            DHCP_RANGE,
            f"provisioningDHCPRange {leased} ends before it starts",
            f"write {leased.end},{leased.start}",
        )
    managed = platform.provisioning_network is ProvisioningNetwork.MANAGED
    network = platform.provisioning_network_cidr
    if leased is None and managed and network is not None:
        yield error(
            CIDR,
            f"provisioningNetworkCIDR {network} is too small for the default DHCP range",
            "use one of 16 addresses or more, or give provisioningDHCPRange",
        )


@check(
    "X12",
    "bootstrapProvisioningIP and clusterProvisioningIP differ.",
    note="Upstream lets them be equal; the bootstrap VM and the cluster then fight for one.",
)
def provisioning_addresses_differ(config: InstallConfig) -> Findings:
    platform = config.baremetal
    address = platform.cluster_provisioning_ip
    if address is not None and address == platform.bootstrap_provisioning_ip:
        yield error(
            CLUSTER_IP,
            f"clusterProvisioningIP {address} is also bootstrapProvisioningIP",
            "give each an address of its own",
        )
