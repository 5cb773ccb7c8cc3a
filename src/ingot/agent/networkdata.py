"""OpenStack's network_data.json as files of systemd-networkd, in the ramdisk and on nodes.

Nothing is read or written here. Links are known by their MAC addresses; a card that is not named
goes on asking by DHCP. Every value is checked for what it is before it goes into a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface, ip_network
from typing import Any, Final

__all__ = ["UnusableData", "network_files"]

Json = Mapping[str, Any]

_MAC: Final = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
_BOND_WORD: Final = re.compile(r"[a-z0-9.+-]+")
_LOOKS_EVERY: Final = 100
"""Milliseconds between two looks at a bond's cards, unless told. networkd's own default is never: a
bond would go on using a card without a cable."""
_DYNAMIC_IPV6: Final = ("ipv6_slaac", "ipv6_dhcpv6-stateless", "ipv6_dhcpv6-stateful")


class UnusableData(ValueError):  # noqa: N818 - it says what was seen
    """The data does not have the form it should have."""


def network_files(data: Json) -> dict[str, str]:
    """Return networkd's files, by their names.

    Raises:
        UnusableData: something is missing or not what it should be.
    """
    try:
        return dict(_Plan(data).files())
    except (KeyError, TypeError, AttributeError) as error:
        raise UnusableData(f"the network data is not of the known form: {error!r}") from error
    except ValueError as error:
        raise UnusableData(str(error)) from error


class _Plan:
    """All links with what is on them."""

    def __init__(self, data: Json) -> None:
        self._links: dict[str, Json] = {str(one["id"]): one for one in data.get("links", ())}
        self._networks: list[Json] = list(data.get("networks", ()))
        self._dns = _dns(data)
        for network in self._networks:
            self._link(str(network["link"]))

    def files(self) -> Iterator[tuple[str, str]]:
        for number, (name, link) in enumerate(self._links.items()):
            # In the order of the data; before the file that has every card ask by DHCP, and after
            # those of people, whose names begin with 10 by custom.
            stem = f"50-ingot-{number:03}"
            if link["type"] in {"bond", "vlan"}:
                yield f"{stem}.netdev", _text(self._device(name, link))
            yield f"{stem}.network", _text(self._settings(name, link))

    def _link(self, name: str) -> Json:
        if name not in self._links:
            raise UnusableData(f"there is no link {name!r}")
        return self._links[name]

    def _device(self, name: str, link: Json) -> Iterator[str]:
        yield "[NetDev]"
        yield f"Name={_device_name(name)}"
        yield f"Kind={link['type']}"
        if mac := link.get("ethernet_mac_address") or link.get("vlan_mac_address"):
            yield f"MACAddress={_mac(mac)}"
        if link["type"] == "vlan":
            yield "[VLAN]"
            yield f"Id={int(link['vlan_id'])}"
            return
        yield "[Bond]"
        yield f"Mode={_bond_word(link.get('bond_mode', 'active-backup'))}"
        every = link.get("bond_miimon")
        yield f"MIIMonitorSec={_LOOKS_EVERY if every is None else int(every)}ms"
        if policy := link.get("bond_xmit_hash_policy"):
            yield f"TransmitHashPolicy={_bond_word(policy)}"

    def _settings(self, name: str, link: Json) -> Iterator[str]:
        on_it = [one for one in self._networks if str(one["link"]) == name]
        yield from _match(name, link)
        yield "[Link]"
        if (mtu := link.get("mtu")) is not None:
            yield f"MTUBytes={int(mtu)}"
        yield f"RequiredForOnline={'routable' if on_it else 'no'}"
        yield "[Network]"
        bonds = self._above(name, kind="bond")
        yield from (f"Bond={bond}" for bond in bonds)
        yield from (f"VLAN={vlan}" for vlan in self._above(name, kind="vlan"))
        yield from _dynamic({str(one["type"]) for one in on_it})
        # A bond's card has no address at all, not even one of its own making.
        yield f"LinkLocalAddressing={'no' if bonds else 'ipv6'}"
        if on_it:
            yield from (f"DNS={address}" for address in (*_nameservers(on_it), *self._dns))
        for one in on_it:
            if one["type"] in {"ipv4", "ipv6"}:
                yield from _static(one)
            elif one["type"] not in {"ipv4_dhcp", "ipv6_dhcp", *_DYNAMIC_IPV6}:
                raise UnusableData(f"{one['type']!r} is no known type of a network")
        # So that a server which gave an address to the firmware gives the same one again.
        yield from ("[DHCPv4]", "ClientIdentifier=mac", "UseDomains=yes", "UseHostname=no")
        yield from ("[DHCPv6]", "DUIDType=link-layer", "UseDomains=yes", "UseHostname=no")

    def _above(self, name: str, *, kind: str) -> list[str]:
        """Return the devices of a kind that a link is below."""
        return [
            _device_name(other)
            for other, one in self._links.items()
            if one["type"] == kind
            and name in map(str, one["bond_links"] if kind == "bond" else [one["vlan_link"]])
        ]


def _match(name: str, link: Json) -> Iterator[str]:
    yield "[Match]"
    if link["type"] in {"bond", "vlan"}:
        yield f"Name={_device_name(name)}"
        return
    # A bond and a VLAN may have the address of the card below them.
    yield f"MACAddress={_mac(link['ethernet_mac_address'])}"
    yield "Type=ether"
    yield "Kind=!*"


def _dynamic(types: set[str]) -> Iterator[str]:
    ipv4, ipv6 = "ipv4_dhcp" in types, bool(types & {"ipv6_dhcp", "ipv6_dhcpv6-stateful"})
    yield f"DHCP={'yes' if ipv4 and ipv6 else 'ipv4' if ipv4 else 'ipv6' if ipv6 else 'no'}"
    yield f"IPv6AcceptRA={'yes' if types & {'ipv6_dhcp', *_DYNAMIC_IPV6} else 'no'}"


def _static(network: Json) -> Iterator[str]:
    own = _interface(network)
    yield "[Address]"
    yield f"Address={own}"
    if gateway := network.get("gateway"):
        yield from _route(own, "", gateway)
    for route in network.get("routes", ()):
        target = str(ip_network(_with_prefix(route["network"], route)))
        yield from _route(own, target, route["gateway"])


def _route(own: IPv4Interface | IPv6Interface, target: str, gateway: object) -> Iterator[str]:
    by = ip_address(str(gateway))
    yield "[Route]"
    if target:
        yield f"Destination={target}"
    yield f"Gateway={by}"
    if by not in own.network and not by.is_link_local:
        yield "GatewayOnLink=yes"


def _interface(network: Json) -> IPv4Interface | IPv6Interface:
    return ip_interface(_with_prefix(network["ip_address"], network))


def _with_prefix(address: object, holder: Json) -> str:
    """Return an address with what follows its slash, which may be given apart as a netmask."""
    text = str(address)
    if "/" in text:
        return text
    mask = str(holder["netmask"])
    if ":" in mask:  # as a mask of IPv6 is written by some
        mask = str(int(ip_address(mask)).bit_count())
    return f"{text}/{mask}"


def _nameservers(networks: Iterable[Json]) -> Iterator[str]:
    for network in networks:
        yield from (str(ip_address(str(one))) for one in network.get("dns_nameservers", ()))
        yield from _dns(network)


def _dns(holder: Json) -> list[str]:
    services = holder.get("services", ())
    return [str(ip_address(str(one["address"]))) for one in services if one["type"] == "dns"]


def _mac(value: object) -> str:
    text = str(value).lower()
    if not _MAC.fullmatch(text):
        raise UnusableData(f"{value!r} is no MAC address")
    return text


def _device_name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise UnusableData(f"{value!r} cannot be the name of a network device")
    return value


def _bond_word(value: object) -> str:
    text = str(value)
    if not _BOND_WORD.fullmatch(text):
        raise UnusableData(f"{value!r} is no setting of a bond")
    return text


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
