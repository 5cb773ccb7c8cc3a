"""Addresses of the provisioning network, which have to fit into it and beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final, TypeAlias

from ingot.metal3.api.provisioning import Provisioning, ProvisioningNetwork, ProvisioningSpec
from ingot.metal3.webhooks.finding import Finding, shown

__all__ = [
    "address_is_inside",
    "address_is_not_handed_out",
    "gateway_is_a_host_of_its_own",
    "managed_ipv6_is_small_enough",
    "mode_of",
    "range_is_inside",
]

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

IP: Final = "spec.provisioningIP"
CIDR: Final = "spec.provisioningNetworkCIDR"
RANGE: Final = "spec.provisioningDHCPRange"
GATEWAY: Final = "spec.provisioningNetworkGateway"
MIN_IPV6_LENGTH: Final = 64
IPV4: Final = 4


@dataclass(frozen=True, slots=True)
class DhcpRange:
    """What DHCP hands out; both ends are of one family."""

    first: Address
    last: Address

    def __contains__(self, address: Address) -> bool:
        return address.version == self.first.version and (
            int(self.first) <= int(address) <= int(self.last)
        )


def mode_of(spec: ProvisioningSpec) -> ProvisioningNetwork:
    """Return who runs the network: Managed unless told, in the old way or in the new."""
    if spec.provisioning_network is not None:
        return spec.provisioning_network
    if spec.provisioning_dhcp_external:
        return ProvisioningNetwork.UNMANAGED
    return ProvisioningNetwork.MANAGED


def address_is_inside(provisioning: Provisioning) -> Iterator[Finding]:
    """Provisioning: provisioningIP is an address, and in Managed and Unmanaged in the CIDR."""
    spec = provisioning.spec
    disabled = mode_of(spec) is ProvisioningNetwork.DISABLED
    if disabled and not (spec.provisioning_ip or spec.provisioning_network_cidr):
        return
    address, network = _address(spec.provisioning_ip), _network(spec.provisioning_network_cidr)
    if address is None:
        yield _no_address(IP, spec.provisioning_ip)
    if disabled:
        return
    if network is None:
        yield Finding(
            CIDR,
            _seen(spec.provisioning_network_cidr, "is no network"),
            "give the provisioning network as address and length, such as 172.22.0.0/24",
        )
    elif address is not None and address not in network:
        yield Finding(IP, f"{address} is not in {CIDR} {network}", "choose an address inside it")


def address_is_not_handed_out(provisioning: Provisioning) -> Iterator[Finding]:
    """Provisioning: in Managed, provisioningIP is outside the DHCP range."""
    address, span = _address(provisioning.spec.provisioning_ip), _range(provisioning.spec)
    if _managed(provisioning) and address is not None and span is not None and address in span:
        yield Finding(
            IP,
            f"{address} is in {RANGE}, so a server could get it too",
            "choose an address outside the range",
        )


def managed_ipv6_is_small_enough(provisioning: Provisioning) -> Iterator[Finding]:
    """Provisioning: in Managed, an IPv6 network has a prefix length of 64 or more."""
    network = _network(provisioning.spec.provisioning_network_cidr)
    if not _managed(provisioning) or network is None or network.version == IPV4:
        return
    if network.prefixlen < MIN_IPV6_LENGTH:
        yield Finding(
            CIDR, f"{network} is larger than dnsmasq can serve", "use a length of 64 or more"
        )


def range_is_inside(provisioning: Provisioning) -> Iterator[Finding]:
    """Provisioning: in Managed, provisioningDHCPRange is two addresses inside the CIDR."""
    if not _managed(provisioning):
        return
    text, span = provisioning.spec.provisioning_dhcp_range, _range(provisioning.spec)
    network = _network(provisioning.spec.provisioning_network_cidr)
    if span is None:
        yield Finding(
            RANGE,
            _seen(text, "is no range"),
            "give the first and the last address, with a comma between them",
        )
    elif network is not None and not (span.first in network and span.last in network):
        yield Finding(
            RANGE, f"{shown(text)} is not inside {CIDR} {network}", "choose addresses inside it"
        )


def gateway_is_a_host_of_its_own(provisioning: Provisioning) -> Iterator[Finding]:
    """Provisioning: provisioningNetworkGateway is a host of its own in a Managed network."""
    spec = provisioning.spec
    if not spec.provisioning_network_gateway:
        return
    gateway, network = (
        _address(spec.provisioning_network_gateway),
        _network(spec.provisioning_network_cidr),
    )
    if not _managed(provisioning):
        yield Finding(
            GATEWAY, f"has no effect in {mode_of(spec)}", "leave it out: your DHCP tells servers"
        )
    elif gateway is None:
        yield _no_address(GATEWAY, spec.provisioning_network_gateway)
    elif network is not None and (why := _unfit(gateway, network, spec)):
        yield Finding(GATEWAY, f"{gateway} {why}", "give the router's address on that network")


def _unfit(gateway: Address, network: Network, spec: ProvisioningSpec) -> str:
    span = _range(spec)
    if gateway not in network:
        return f"is not in {CIDR} {network}"
    if gateway == _address(spec.provisioning_ip):
        return f"is also {IP}"
    ends = (network.network_address, network.broadcast_address)
    if network.version == IPV4 and gateway in ends:
        return f"is the network or broadcast address of {network}"
    if span is not None and gateway in span:
        return f"is in {RANGE}, so a server could get it too"
    return ""


def _managed(provisioning: Provisioning) -> bool:
    return mode_of(provisioning.spec) is ProvisioningNetwork.MANAGED


def _address(text: str) -> Address | None:
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def _network(text: str) -> Network | None:
    try:
        return ip_network(text, strict=False) if "/" in text and "%" not in text else None
    except ValueError:
        return None


def _range(spec: ProvisioningSpec) -> DhcpRange | None:
    first, comma, last = spec.provisioning_dhcp_range.partition(",")
    start, end = _address(first.strip()), _address(last.strip())
    if not comma or start is None or end is None or start.version != end.version:
        return None
    return DhcpRange(start, end) if int(start) <= int(end) else None


def _no_address(field: str, text: str) -> Finding:
    return Finding(field, _seen(text, "is no IP address"), "give an IPv4 or IPv6 address")


def _seen(text: str, what: str) -> str:
    return f"{shown(text)} {what}" if text else "is missing"
