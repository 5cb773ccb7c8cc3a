"""What `ip` is told: everything that is missing, and nothing that is there."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from ingot.lab.networks import Seen, collides, commands_inside, commands_outside
from tests.labplans import planned

PLAN = planned()
UPLINK = PLAN.networks.uplink


def test_each_network_is_a_bridge_that_forwards_at_once() -> None:
    made = [line for line in commands_inside(PLAN, Seen()) if " type bridge " in line]
    assert [line.split()[2] for line in made] == ["baremetal", "oob", "provisioning"]
    assert all("stp_state 0 forward_delay 0" in line for line in made)


def test_a_bridge_has_a_mac_of_its_own_that_never_changes() -> None:
    twice = [
        {line for line in commands_inside(planned(name="a"), Seen()) if " address 02:" in line}
        for _ in range(2)
    ]
    other = {line for line in commands_inside(planned(name="b"), Seen()) if " address 02:" in line}
    assert twice[0] == twice[1]
    assert len(twice[0]) == 3
    assert not twice[0] & other


def test_every_bmc_has_its_address_on_the_out_of_band_network() -> None:
    lines = set(commands_inside(PLAN, Seen()))
    assert {f"address replace {host.bmc.address}/32 dev oob" for host in PLAN.hosts} <= lines


@pytest.mark.parametrize(
    ("mode", "bridges", "addresses"),
    [
        ("managed", 1, 0),
        ("unmanaged", 1, 1),  # the site's DHCP is there
        ("disabled", 0, 0),
    ],
)
def test_the_provisioning_network_is_as_the_mode_says(
    mode: str, bridges: int, addresses: int
) -> None:
    lines = list(commands_inside(planned(f"provisioningNetwork: {mode}"), Seen()))
    assert sum(line.startswith("link add provisioning ") for line in lines) == bridges
    assert sum(line.endswith("/24 dev provisioning") for line in lines) == addresses


def test_bridges_that_are_there_are_not_made_again() -> None:
    seen = Seen(inside=frozenset({"baremetal", "oob", "provisioning", "uplink"}))
    assert not [line for line in commands_inside(PLAN, seen) if line.startswith("link add")]


def test_the_user_reaches_both_networks_through_the_uplink() -> None:
    lines = list(commands_outside(PLAN, Seen()))
    assert f"link add {UPLINK} type veth peer name uplink netns {PLAN.namespace}" in lines
    routed = [line.split()[2] for line in lines if line.startswith("route replace")]
    assert routed == [str(PLAN.networks.external), str(PLAN.networks.out_of_band)]


def test_an_uplink_that_is_whole_stays() -> None:
    seen = Seen(inside=frozenset({"uplink"}), outside=frozenset({UPLINK}))
    assert not [line for line in commands_outside(PLAN, seen) if line.startswith("link add")]


def test_a_host_of_this_pc_s_libvirt_is_plugged_in_outside() -> None:
    plan = planned("driver: libvirt\nlibvirtURI: qemu:///system\ncontrolPlane: 1\nworkers: 0\n")
    card = plan.hosts[0].nics[0]
    outside, inside = list(commands_outside(plan, Seen())), list(commands_inside(plan, Seen()))
    peer = f"link add {card.port}o type veth peer name {card.port} netns {plan.namespace}"
    assert peer in outside
    assert f"link set {card.port}o master {card.port}b up" in outside
    assert f"link set {card.port} master {card.bridge} up" in inside


def test_a_host_of_the_lab_s_own_libvirt_is_plugged_in_inside() -> None:
    plan = planned("driver: libvirt\ncontrolPlane: 1\nworkers: 0\n")
    card = plan.hosts[0].nics[0]
    inside = list(commands_inside(plan, Seen()))
    assert f"link add {card.port}o type veth peer name {card.port}" in inside
    assert f"link set {card.port}o master {card.port}b up" in inside
    assert f"link set {card.port} master {card.bridge} up" in inside
    again = Seen(inside=frozenset({f"{card.port}o", f"{card.port}b", card.port}))
    assert not [line for line in commands_inside(plan, again) if f"add {card.port}" in line]


@pytest.mark.parametrize("said", ["", "libvirtURI: qemu+ssh://elsewhere/system\n"])
def test_a_host_of_another_libvirt_is_not_plugged_in_outside(said: str) -> None:
    plan = planned(f"driver: libvirt\n{said}controlPlane: 1\nworkers: 0\n")
    port = plan.hosts[0].nics[0].port
    assert not [line for line in commands_outside(plan, Seen()) if port in line]


@pytest.mark.parametrize(
    ("theirs", "direct", "expected"),
    [
        ("192.168.111.0/24", True, True),
        ("192.168.0.0/16", True, True),
        ("192.168.0.0/16", False, False),  # a VPN's wide route may have ours cut out of it
        ("192.168.111.128/25", False, True),
        ("192.168.112.0/24", True, False),
    ],
)
def test_networks_collide_where_one_would_hide_the_other(
    theirs: str, *, direct: bool, expected: bool
) -> None:
    ours = IPv4Network("192.168.111.0/24")
    assert collides(ours, IPv4Network(theirs), direct=direct) is expected
