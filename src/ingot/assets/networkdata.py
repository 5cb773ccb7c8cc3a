"""A host's network in the form that Ironic and config drives have: OpenStack's network data.

`networkConfig` names interfaces; network data knows them by their MAC addresses. An interface says
its own, or it is the card that the host boots from, if that is on the machine network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_interface, ip_network
from typing import Any

from ingot.assets.documents import Json
from ingot.assets.nmstate import FAMILIES, addresses_of, interfaces_of, section
from ingot.config.model import Host
from ingot.errors import InstallConfigError

__all__ = ["network_data"]


def network_data(host: Host, *, boots_from_machine_network: bool) -> Json:
    """Return a host's network data.

    Args:
        host: with its `networkConfig`.
        boots_from_machine_network: whether `bootMACAddress` is a card of the machine network.

    Raises:
        InstallConfigError: something is asked for that cannot be said in this form.
    """
    document = host.network_config
    interfaces = list(interfaces_of(document))
    macs = _macs(host, interfaces, boots_from_machine_network=boots_from_machine_network)
    servers = section(document, "dns-resolver", "config", "server") or ()
    return {
        "links": [_link(host, one, macs) for one in interfaces],
        "networks": [
            # Ironic wants both: a network of its own for each address.
            {"id": name, "network_id": name, **network}
            for one in interfaces
            for number, network in enumerate(_networks(document, one))
            for name in (f"{one['name']}-{number}",)
        ],
        "services": [{"type": "dns", "address": str(server)} for server in servers],
    }


def _macs(
    host: Host, interfaces: list[Mapping[str, Any]], *, boots_from_machine_network: bool
) -> dict[str, str]:
    said = {str(one["name"]): str(one["mac-address"]).lower() for one in interfaces
            if one.get("mac-address")}  # fmt: skip
    cards = [str(one["name"]) for one in interfaces if one.get("type", "ethernet") == "ethernet"]
    silent = [name for name in cards if name not in said]
    boot = host.boot_mac_address
    if boots_from_machine_network and boot and boot not in said.values() and silent:
        said[silent[0]] = boot
    for one in interfaces:  # A bond has the address of its first card, unless it says another.
        ports = section(one, "link-aggregation", "port") or ()
        if ports and str(ports[0]) in said:
            said.setdefault(str(one["name"]), said[str(ports[0])])
    return said


def _link(host: Host, one: Mapping[str, Any], macs: Mapping[str, str]) -> Json:
    name, kind = str(one["name"]), str(one.get("type", "ethernet"))
    link: Json = {"id": name, **({"mtu": one["mtu"]} if one.get("mtu") else {})}
    match kind:
        case "ethernet":
            return {**link, "type": "phy", "ethernet_mac_address": _mac(host, name, macs)}
        case "bond":
            ports = list(map(str, section(one, "link-aggregation", "port") or ()))
            mode = str(section(one, "link-aggregation", "mode") or "active-backup")
            bond = {"bond_links": ports, "bond_mode": mode}
            mac = _mac(host, name, macs)
            return {**link, "type": "bond", **bond, "ethernet_mac_address": mac}
        case "vlan":
            below = str(section(one, "vlan", "base-iface"))
            number = section(one, "vlan", "id")
            mac = macs.get(name) or _mac(host, below, macs)
            vlan = {"vlan_link": below, "vlan_id": number, "vlan_mac_address": mac}
            return {**link, "type": "vlan", **vlan}
    raise InstallConfigError(
        f"networkConfig of host {host.name!r}: interface {name!r} is of type {kind!r}",
        remedy="use ethernet, bond or vlan",
    )


def _mac(host: Host, name: str, macs: Mapping[str, str]) -> str:
    if name in macs:
        return macs[name]
    raise InstallConfigError(
        f"networkConfig of host {host.name!r} does not say which card {name!r} is",
        remedy=f"add mac-address to the interface {name!r}",
    )


def _networks(document: object, one: Mapping[str, Any]) -> Iterator[Json]:
    link = str(one["name"])
    for family in FAMILIES:
        if section(one, family, "enabled") is False:
            continue
        if section(one, family, "dhcp"):
            yield {"link": link, "type": f"{family}_dhcp"}
        elif section(one, family, "autoconf"):
            yield {"link": link, "type": f"{family}_slaac"}
        routes = list(_routes(document, link, family))
        for address in addresses_of(one, family):
            yield {
                "link": link,
                "type": family,
                "ip_address": str(address.ip),
                "netmask": str(ip_interface(address).netmask),
                "routes": routes,
            }
            routes = []


def _routes(document: object, link: str, family: str) -> Iterator[Json]:
    listed = section(document, "routes", "config")
    for one in listed if isinstance(listed, list) else ():
        target = ip_network(str(one.get("destination")))
        if one.get("next-hop-interface") == link and f"ipv{target.version}" == family:
            yield {
                "network": str(target.network_address),
                "netmask": str(target.netmask),
                "gateway": str(one.get("next-hop-address")),
            }
