"""The virtual IPs of the API and of ingress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ingot.config.model import InstallConfig
from ingot.config.problem import Path, at, error
from ingot.config.reading import IPV4, IPAddress
from ingot.config.registry import Findings, check, declare
from ingot.config.rules.networking import (
    CLUSTER,
    MACHINE,
    SERVICE,
    is_dual_stack,
    is_in_no_machine_network,
)

declare("P2", "Each VIP is an IP address.")

MAX_VIPS = 2
API, INGRESS = "apiVIPs", "ingressVIPs"
VIPS = (at(API), at(INGRESS))


def _lists(config: InstallConfig) -> list[tuple[str, Sequence[IPAddress]]]:
    return [(API, config.baremetal.api_vips), (INGRESS, config.baremetal.ingress_vips)]


def each_vip(config: InstallConfig) -> Iterator[tuple[Path, str, IPAddress]]:
    """Return every VIP with its place and a name for messages."""
    for name, vips in _lists(config):
        for index, vip in enumerate(vips):
            yield at(name, index), f"{name}[{index}] {vip}", vip


@check(
    "P1",
    "There are one or two API VIPs, and one or two ingress VIPs.",
    note="Upstream asks DNS for absent VIPs; the answer may change between two runs, so they are "
    "required here.",
)
def vips_are_given(config: InstallConfig) -> Findings:
    if config.platform.baremetal is None:
        return  # G10
    for name, vips in _lists(config):
        if not vips:
            yield error(at(name), f"{name} is not given", "add a free address of a machine network")
        elif len(vips) > MAX_VIPS:
            yield error(
                at(name), f"{name} has {len(vips)} addresses", "keep one, or one of each family"
            )


@check(
    "P3",
    "An ingress VIP is no API VIP, and every VIP lies in a machine network, unless the load "
    "balancer is UserManaged.",
    needs=(at("loadBalancer"),),
)
def vips_are_distinct_and_local(config: InstallConfig) -> Findings:
    if config.baremetal.vips_are_user_managed:
        return
    for index, vip in enumerate(config.baremetal.ingress_vips):
        if vip in config.baremetal.api_vips:
            number = config.baremetal.api_vips.index(vip)
            yield error(
                at(INGRESS, index),
                f"{INGRESS}[{index}] {vip} is also {API}[{number}]",
                "each VIP needs an address of its own",
            )
    for path, name, vip in each_vip(config):
        if is_in_no_machine_network(config, vip):
            listed = ", ".join(str(network) for network in config.networking.machine_cidrs)
            yield error(
                path,
                f"{name} is in no machine network ({listed})",
                "choose a free address of a machine network, or correct machineNetwork",
            )


@check("P4", "Two VIPs of a kind are one IPv4 and one IPv6.")
def vip_pairs_are_dual_stack(config: InstallConfig) -> Findings:
    for name, vips in _lists(config):
        if len(vips) == MAX_VIPS and vips[0].version == vips[1].version:
            yield error(
                at(name, 1),
                f"{name} has two IPv{vips[0].version} addresses",
                "keep one, or one of each family",
            )


@check(
    "P5",
    "In a dual-stack cluster, the first VIP is of the family that comes first everywhere.",
    needs=(*VIPS, MACHINE, CLUSTER, SERVICE),
)
def first_vip_is_of_the_primary_family(config: InstallConfig) -> Findings:
    networking = config.networking
    if not is_dual_stack(config):
        return
    for name, vips in _lists(config):
        if not vips:
            continue
        for kind, cidrs in (
            ("machine", networking.machine_cidrs),
            ("service", networking.service_network),
            ("cluster", networking.cluster_cidrs),
        ):
            if cidrs and cidrs[0].version != vips[0].version:
                yield error(
                    at(name, 0),
                    f"{name}[0] {vips[0]} is IPv{vips[0].version}, "
                    f"and the first {kind} network is IPv{cidrs[0].version}",
                    "put the same family first everywhere",
                )


@check(
    "X23",
    "In a single-stack cluster, VIPs are of the family of the service network.",
    needs=(SERVICE,),
    note="Upstream checks the family of VIPs for dual stack only.",
)
def vips_are_of_the_only_family(config: InstallConfig) -> Findings:
    families = {cidr.version for cidr in config.networking.service_network}
    if len(families) != 1:
        return
    for path, name, vip in each_vip(config):
        if vip.version not in families:
            yield error(
                path,
                f"{name} is IPv{vip.version}, and services are IPv{min(families)} only",
                "use one family, or add networks of the other for dual stack",
            )


@check(
    "X8",
    "No VIP is the first or last address of its machine network (network and broadcast).",
    note="Upstream lets it pass.",
)
def vips_are_usable(config: InstallConfig) -> Findings:
    for path, name, vip in each_vip(config):
        for network in config.networking.machine_cidrs:
            if vip not in network or network.prefixlen >= network.max_prefixlen - 1:
                continue
            if vip == network.network_address:
                yield error(path, f"{name} is the address of {network} itself", "choose another")
            elif vip.version == IPV4 and vip == network.broadcast_address:
                yield error(path, f"{name} is the broadcast address of {network}", "choose another")


@check(
    "X7",
    "No VIP lies in the provisioning network's DHCP range.",
    note="Upstream does not compare them.",
)
def vips_are_not_leased(config: InstallConfig) -> Findings:
    leased = config.baremetal.provisioning_dhcp_range
    for path, name, vip in each_vip(config):
        if leased is not None and vip in leased:
            yield error(
                path,
                f"{name} lies in provisioningDHCPRange {leased}, and may be leased to a server",
                "choose an address outside it",
            )


@check(
    "X9",
    "No VIP is an address that something else has: gateways, name server, bootstrap VM, "
    "provisioning services, BMCs.",
    note="Upstream does not compare them. A balancer of your own may also be router and name "
    "server.",
)
def vips_are_free(config: InstallConfig) -> Findings:
    platform = config.baremetal
    given = {
        "bootstrapExternalStaticIP": platform.bootstrap_external_static_ip,
        "bootstrapProvisioningIP": platform.bootstrap_provisioning_ip,
        "clusterProvisioningIP": platform.cluster_provisioning_ip,
        "provisioningNetworkGateway": platform.provisioning_network_gateway,
    }
    if not platform.vips_are_user_managed:
        given["bootstrapExternalStaticGateway"] = platform.bootstrap_external_static_gateway
        given["bootstrapExternalStaticDNS"] = platform.bootstrap_external_static_dns
    for host in platform.hosts:
        if host.bmc.address is not None:
            given[f"the BMC of host {host.name!r}"] = host.bmc.address.ip
    taken = {address: name for name, address in given.items() if address is not None}
    for path, name, vip in each_vip(config):
        if vip in taken:
            yield error(path, f"{name} is also {taken[vip]}", "a VIP needs an address of its own")
