"""Which addresses of a lab's networks are for what.

The lower part of the external network is for the plan, the upper half for DHCP's own choice; see
`NetworkPlan.external_leases`. In the provisioning network the first addresses are those that an
install-config has by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

__all__ = [
    "CLUSTER_NETWORK",
    "EXTERNALS",
    "OUT_OF_BANDS",
    "PROVISIONING",
    "SERVICE_NETWORK",
    "TRANSFERS",
    "api_vip",
    "bmcs",
    "external_room",
    "gateway",
    "hosts",
    "ingress_vip",
    "out_of_band_room",
    "provisioning_room",
]

CLUSTER_NETWORK = IPv4Network("10.128.0.0/14")
SERVICE_NETWORK = IPv4Network("172.30.0.0/16")
"""Of the pods and services in the install-config: its own defaults."""

PROVISIONING = IPv4Network("172.22.0.0/24")
EXTERNALS = tuple(IPv4Network(f"192.168.{number}.0/24") for number in range(111, 151))
OUT_OF_BANDS = tuple(IPv4Network(f"192.168.{number}.0/24") for number in range(151, 191))
TRANSFERS = tuple(IPv4Network("198.18.0.0/24").subnets(new_prefix=30))
"""Between the PC and a lab, one for each: from the range that no network in use has, since it is
kept for measurements (RFC 2544)."""

GATEWAY, API_VIP, INGRESS_VIP = 1, 5, 6
FIRST_HOST = 20
FIRST_BMC = 20
FIRST_LEASE = 10
"""On the provisioning network, as in an install-config."""


def gateway(network: IPv4Network) -> IPv4Address:
    """Return the lab's own address."""
    return network[GATEWAY]


def api_vip(external: IPv4Network) -> IPv4Address:
    """Return the virtual IP of the API."""
    return external[API_VIP]


def ingress_vip(external: IPv4Network) -> IPv4Address:
    """Return the virtual IP of ingress."""
    return external[INGRESS_VIP]


def hosts(external: IPv4Network) -> Iterator[IPv4Address]:
    """Return what hosts may have, in order."""
    return (external[n] for n in range(FIRST_HOST, external.num_addresses // 2))


def bmcs(out_of_band: IPv4Network) -> Iterator[IPv4Address]:
    """Return what BMCs may have, in order."""
    return (out_of_band[n] for n in range(FIRST_BMC, out_of_band.num_addresses - 1))


def external_room(network: IPv4Network) -> int:
    """Return how many hosts fit."""
    return network.num_addresses // 2 - FIRST_HOST


def out_of_band_room(network: IPv4Network) -> int:
    """Return how many BMCs fit."""
    return network.num_addresses - 1 - FIRST_BMC


def provisioning_room(network: IPv4Network) -> int:
    """Return how many hosts can be served: in mode unmanaged the upper half is leased."""
    return min(network.num_addresses // 2, network.num_addresses - 1 - FIRST_LEASE) - 1
