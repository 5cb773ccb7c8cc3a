"""Network data of OpenStack becomes files of systemd-networkd."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.agent.networkdata import UnusableData, network_files

MAC = "52:54:00:00:00:01"
CARD = {"id": "eth0", "type": "phy", "ethernet_mac_address": MAC.upper(), "mtu": 1400}
OTHER = {"id": "eth1", "type": "phy", "ethernet_mac_address": "52:54:00:00:00:02"}
STATIC = {
    "id": "one",
    "type": "ipv4",
    "link": "eth0",
    "ip_address": "192.168.111.20",
    "netmask": "255.255.255.0",
    "gateway": "192.168.111.1",
}


def files(*networks: dict[str, Any], links: object = (CARD,), **more: object) -> list[str]:
    return list(network_files({"links": links, "networks": networks, **more}).values())


def lines(*networks: dict[str, Any], **more: object) -> list[str]:
    (text,) = files(*networks, **more)
    return text.splitlines()


def after(told: list[str], section: str) -> list[str]:
    """Return what stands in the first section of a name."""
    begin = told.index(section) + 1
    rest = told[begin:]
    end = next((place for place, line in enumerate(rest) if line.startswith("[")), len(rest))
    return rest[:end]


def test_a_card_is_known_by_its_mac() -> None:
    assert after(lines(STATIC), "[Match]") == [f"MACAddress={MAC}", "Type=ether", "Kind=!*"]


def test_a_static_address_comes_with_its_way_out() -> None:
    told = lines(STATIC)
    assert after(told, "[Address]") == ["Address=192.168.111.20/24"]
    assert after(told, "[Route]") == ["Gateway=192.168.111.1"]
    assert {"DHCP=no", "IPv6AcceptRA=no"} <= set(told)
    assert "MTUBytes=1400" in told


@pytest.mark.parametrize(
    "address",
    [
        {"ip_address": "fd00::20/64"},
        {"ip_address": "fd00::20", "netmask": "64"},
        {"ip_address": "fd00::20", "netmask": "ffff:ffff:ffff:ffff::"},
    ],
)
def test_ipv6_is_taken_however_its_mask_is_written(address: dict[str, str]) -> None:
    told = lines({"type": "ipv6", "link": "eth0", "gateway": "fe80::1", **address})
    assert after(told, "[Address]") == ["Address=fd00::20/64"]
    assert after(told, "[Route]") == ["Gateway=fe80::1"]


@pytest.mark.parametrize(
    ("types", "said"),
    [
        (["ipv4_dhcp"], {"DHCP=ipv4", "IPv6AcceptRA=no"}),
        (["ipv6_dhcp"], {"DHCP=ipv6", "IPv6AcceptRA=yes"}),
        (["ipv6_dhcpv6-stateful"], {"DHCP=ipv6", "IPv6AcceptRA=yes"}),
        (["ipv4_dhcp", "ipv6_dhcp"], {"DHCP=yes", "IPv6AcceptRA=yes"}),
        (["ipv6_slaac"], {"DHCP=no", "IPv6AcceptRA=yes"}),
        (["ipv4_dhcp", "ipv6_slaac"], {"DHCP=ipv4", "IPv6AcceptRA=yes"}),
    ],
)
def test_what_is_asked_for_depends_on_the_networks(types: list[str], said: set[str]) -> None:
    assert said <= set(lines(*({"type": one, "link": "eth0"} for one in types)))


def test_routes_are_taken() -> None:
    routes = [
        {"network": "10.0.0.0", "netmask": "255.0.0.0", "gateway": "192.168.111.2"},
        {"network": "0.0.0.0/0", "gateway": "10.9.9.9"},
    ]
    text = "\n".join(lines({**STATIC, "gateway": None, "routes": routes}))
    assert "[Route]\nDestination=10.0.0.0/8\nGateway=192.168.111.2\n" in text
    assert "[Route]\nDestination=0.0.0.0/0\nGateway=10.9.9.9\nGatewayOnLink=yes\n" in text


@pytest.mark.parametrize(
    "route",
    [
        {"network": "::/0"},
        {"network": "::", "netmask": "::"},
        {"network": "::", "netmask": "0"},
    ],
)
def test_routes_of_ipv6_are_taken_however_their_mask_is_written(route: dict[str, str]) -> None:
    routes = [{**route, "gateway": "fd00::1"}]
    told = lines({"type": "ipv6", "link": "eth0", "ip_address": "fd00::20/64", "routes": routes})
    assert after(told, "[Route]") == ["Destination=::/0", "Gateway=fd00::1"]


def test_name_servers_are_taken_from_wherever_they_are_named() -> None:
    told = lines(
        {
            **STATIC,
            "dns_nameservers": ["192.168.111.1"],
            "services": [{"type": "dns", "address": "192.168.111.2"}],
        },
        services=[{"type": "dns", "address": "192.168.111.3"}, {"type": "ntp", "address": "x"}],
    )
    assert [line for line in told if line.startswith("DNS=")] == [
        "DNS=192.168.111.1",
        "DNS=192.168.111.2",
        "DNS=192.168.111.3",
    ]


def test_a_bond_is_made_of_its_cards() -> None:
    bond = {
        "id": "bond0",
        "type": "bond",
        "ethernet_mac_address": MAC,
        "bond_links": ["eth0", "eth1"],
        "bond_mode": "802.3ad",
        "bond_miimon": 100,
        "bond_xmit_hash_policy": "layer3+4",
    }
    first, second, device, on_top = files({**STATIC, "link": "bond0"}, links=(CARD, OTHER, bond))
    for card in (first, second):
        assert "Bond=bond0" in card
        assert "RequiredForOnline=no" in card
        assert "LinkLocalAddressing=no" in card
    assert device.splitlines() == [
        "[NetDev]", "Name=bond0", "Kind=bond", f"MACAddress={MAC}",
        "[Bond]", "Mode=802.3ad", "MIIMonitorSec=100ms", "TransmitHashPolicy=layer3+4",
    ]  # fmt: skip
    assert on_top.startswith("[Match]\nName=bond0\n")
    assert "Address=192.168.111.20/24" in on_top


def test_a_bond_looks_for_cables_also_when_not_told_to() -> None:
    bond = {"id": "bond0", "type": "bond", "bond_links": []}
    device, _ = files(links=(bond,))
    assert "MIIMonitorSec=100ms" in device


def test_a_vlan_is_on_its_card() -> None:
    vlan = {"id": "eth0.7", "type": "vlan", "vlan_link": "eth0", "vlan_id": 7}
    card, device, on_top = files({**STATIC, "link": "eth0.7"}, links=(CARD, vlan))
    assert "VLAN=eth0.7" in card
    assert device.splitlines() == ["[NetDev]", "Name=eth0.7", "Kind=vlan", "[VLAN]", "Id=7"]
    assert "Address=192.168.111.20/24" in on_top


def test_files_come_after_those_of_people_and_before_the_one_that_asks_by_dhcp() -> None:
    names = list(network_files({"links": [CARD, OTHER], "networks": []}))
    assert sorted(["80-dhcp.network", *names, "10-mine.network"]) == [
        "10-mine.network",
        *names,
        "80-dhcp.network",
    ]


def test_nothing_said_writes_nothing() -> None:
    assert network_files({}) == {}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"links": [CARD], "networks": [{**STATIC, "link": "eth9"}]}, "no link 'eth9'"),
        ({"links": [CARD], "networks": [{**STATIC, "type": "carrier"}]}, "'carrier'"),
        ({"links": [CARD], "networks": [{**STATIC, "ip_address": "1.2.3"}]}, "1.2.3"),
        ({"links": [CARD], "networks": [{**STATIC, "gateway": "a\nb"}]}, "does not appear"),
        ({"links": [{**CARD, "ethernet_mac_address": f"{MAC}\n[Network]"}]}, "no MAC address"),
        ({"links": [{"id": "a b", "type": "bond", "bond_links": []}]}, "cannot be the name"),
        ({"links": [{"id": "b", "type": "bond", "bond_mode": "a\nb", "bond_links": []}]}, "a bond"),
        ({"links": [{"id": "eth0", "type": "phy"}]}, "ethernet_mac_address"),
        ({"links": "eth0"}, "known form"),
        ([], "known form"),
    ],
)
def test_what_cannot_be_used_is_named(data: Any, said: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(UnusableData, match=said):
        network_files(data)
