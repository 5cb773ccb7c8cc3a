"""Network cards of an inventory.

A card with addresses of both families is told twice, once for each, as everybody expects who reads
hardware data. Cards without a MAC address are no network cards for a host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ingot.ironic.document import Json
from ingot.metal3.api.hardware import LLDP, NIC, VLAN
from ingot.metal3.node.tolerant import objects, part, whole, word

__all__ = ["cards"]

_MAC: Final = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_INFINIBAND: Final = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){19}")
_MEGABITS: Final = 1000
_LAST_VLAN: Final = 4094


def cards(inventory: Mapping[str, Json], plugin_data: Mapping[str, Json]) -> tuple[NIC, ...]:
    """Return all network cards, one entry for each address family."""
    return tuple(_cards(inventory, plugin_data))


def _cards(inventory: Mapping[str, Json], plugin_data: Mapping[str, Json]) -> Iterator[NIC]:
    booted = _mac(part(inventory, "boot").get("pxe_interface"))
    known = part(plugin_data, "all_interfaces") or part(plugin_data, "valid_interfaces")
    neighbours = part(plugin_data, "parsed_lldp")
    for card in objects(inventory.get("interfaces")):
        mac = _mac(card.get("mac_address"))
        if not mac:
            continue
        name = word(card.get("name"))
        neighbour = part(neighbours, name)
        for address in _addresses(card):
            yield NIC(
                name=name,
                model=" ".join(filter(None, (word(card.get("vendor")), word(card.get("product"))))),
                mac=mac,
                ip=address,
                speed_gbps=whole(card.get("speed_mbps")) // _MEGABITS,
                vlans=tuple(_vlans(neighbour)),
                vlan_id=_vlan(neighbour.get("switch_port_untagged_vlan_id")),
                pxe=part(known, name).get("pxe_enabled") is True or mac == booted,
                lldp=_lldp(neighbour),
                pci_address=word(card.get("pci_address")),
            )


def _addresses(card: Mapping[str, Json]) -> list[str]:
    found = (word(card.get("ipv4_address")), word(card.get("ipv6_address")))
    # An IPv6 address may name the interface that it is valid on, which is told beside it.
    return [address.partition("%")[0] for address in found if address] or [""]


def _mac(value: Json) -> str:
    text = word(value).lower().replace("-", ":")
    if _MAC.fullmatch(text):
        return text
    # A boot loader may put the kind of network before the address: 01-aa-bb-…
    if _MAC.fullmatch(text[3:]):
        return text[3:]
    return text[-17:] if _INFINIBAND.fullmatch(text) else ""


def _vlans(neighbour: Mapping[str, Json]) -> Iterator[VLAN]:
    for vlan in objects(neighbour.get("switch_port_vlans")):
        if number := _vlan(vlan.get("id")):
            yield VLAN(id=number, name=word(vlan.get("name")))


def _vlan(value: Json) -> int:
    number = whole(value)
    return number if number <= _LAST_VLAN else 0


def _lldp(neighbour: Mapping[str, Json]) -> LLDP | None:
    said = LLDP(
        switch_id=word(neighbour.get("switch_chassis_id")),
        port_id=word(neighbour.get("switch_port_id")),
        switch_system_name=word(neighbour.get("switch_system_name")),
    )
    return said if said != LLDP() else None
