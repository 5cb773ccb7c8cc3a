"""What a host's `networkConfig` says: the parts of nmstate's form that are looked at here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from typing import Any, TypeAlias

from ingot.config.model import Host, InstallConfig
from ingot.config.reading import IPAddress

__all__ = ["FAMILIES", "addresses_of", "interfaces_of", "node_addresses", "section"]

Interface: TypeAlias = Mapping[str, Any]
FAMILIES = ("ipv4", "ipv6")


def section(document: object, *names: str) -> Any:  # noqa: ANN401 - as deep as nmstate is
    """Return what is below some names, or None."""
    for name in names:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document


def interfaces_of(document: object) -> Iterator[Interface]:
    """Return the interfaces that a document configures."""
    listed = section(document, "interfaces")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, Mapping) and one.get("state", "up") == "up":
            yield one


def addresses_of(interface: Interface, family: str) -> Iterator[IPv4Interface | IPv6Interface]:
    """Return the static addresses of an interface, with their networks."""
    listed = section(interface, family, "address")
    if section(interface, family, "enabled") is False:
        return
    for one in listed if isinstance(listed, list) else ():
        yield ip_interface(f"{one['ip']}/{one['prefix-length']}")


def node_addresses(config: InstallConfig, host: Host) -> tuple[IPAddress, ...]:
    """Return the addresses that a host is known to have on the machine networks.

    One of each family at most, the first; none where its addresses come by DHCP.
    """
    networks = config.networking.machine_cidrs
    found: dict[int, IPAddress] = {}
    for interface in interfaces_of(host.network_config):
        for family in FAMILIES:
            for address in addresses_of(interface, family):
                if any(address.ip in network for network in networks):
                    found.setdefault(address.version, address.ip)
    return tuple(found.values())
