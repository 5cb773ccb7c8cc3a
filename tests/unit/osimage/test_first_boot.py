"""What a node's first boot does with the config drive's network data, before Ignition runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import ingot.osimage
from ingot.assets.networkdata import network_data
from ingot.osimage.files.node.usr.lib.ingot.first_boot import SHARED, set_network
from ingot.osimage.node import copy_shared
from tests.unit.assets.clusters import Tree, cluster

TREE = Path(ingot.osimage.__path__[0]) / "files/node"

BOTH_FAMILIES = {
    "interfaces": [
        {
            "name": "eno1",
            "type": "ethernet",
            "mac-address": "52:54:00:00:01:01",
            "mtu": 9000,
            "ipv4": {"enabled": True, "address": [{"ip": "192.0.2.10", "prefix-length": 24}]},
            "ipv6": {"enabled": True, "address": [{"ip": "2001:db8::10", "prefix-length": 64}]},
        },
        {
            "name": "eno1.7",
            "type": "vlan",
            "vlan": {"base-iface": "eno1", "id": 7},
            "ipv4": {"enabled": True, "dhcp": True},
        },
    ],
    "dns-resolver": {"config": {"server": ["192.0.2.1", "2001:db8::1"]}},
    "routes": {
        "config": [
            {
                "destination": "0.0.0.0/0",
                "next-hop-address": "192.0.2.1",
                "next-hop-interface": "eno1",
            },
            {
                "destination": "::/0",
                "next-hop-address": "2001:db8::1",
                "next-hop-interface": "eno1",
            },
        ]
    },
}

CARD_FILE = """\
[Match]
MACAddress=52:54:00:00:01:01
Type=ether
Kind=!*
[Link]
MTUBytes=9000
RequiredForOnline=routable
[Network]
VLAN=eno1.7
DHCP=no
IPv6AcceptRA=no
LinkLocalAddressing=ipv6
DNS=192.0.2.1
DNS=2001:db8::1
[Address]
Address=192.0.2.10/24
[Route]
Destination=0.0.0.0/0
Gateway=192.0.2.1
[Address]
Address=2001:db8::10/64
[Route]
Destination=::/0
Gateway=2001:db8::1
[DHCPv4]
ClientIdentifier=mac
UseDomains=yes
UseHostname=no
[DHCPv6]
DUIDType=link-layer
UseDomains=yes
UseHostname=no
"""


def said_by_the_installer() -> str:
    def change(tree: Tree) -> None:
        tree["platform"]["baremetal"]["hosts"][0]["networkConfig"] = BOTH_FAMILIES

    host = cluster(change=change).baremetal.hosts[0]
    return json.dumps(network_data(host, boots_from_machine_network=False))


def test_a_hosts_networkconfig_becomes_its_nodes_network(tmp_path: Path) -> None:
    assert set_network(said_by_the_installer(), tmp_path)
    card, *vlan = sorted(tmp_path.iterdir())
    assert card.read_text("utf-8") == CARD_FILE
    assert [path.suffix for path in vlan] == [".netdev", ".network"]


def test_it_counts_before_the_images_own_rule_for_every_card(tmp_path: Path) -> None:
    set_network(said_by_the_installer(), tmp_path)
    (rule,) = (TREE / "usr/lib/systemd/network").iterdir()
    assert all(path.name < rule.name for path in tmp_path.iterdir())


def test_a_second_try_has_nothing_new_for_networkd(tmp_path: Path) -> None:
    set_network(said_by_the_installer(), tmp_path)
    assert not set_network(said_by_the_installer(), tmp_path)


def test_a_node_does_not_go_on_with_data_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no JSON.*correct the network settings of this host"):
        set_network("{", tmp_path)


def test_the_image_has_all_that_first_boot_imports(tmp_path: Path) -> None:
    copy_shared(tmp_path)
    library = tmp_path / SHARED.lstrip("/")
    # Without site packages: on a node there is no other Ingot to be found.
    program = f"import sys; sys.path.append({str(library)!r}); import ingot.agent.applying"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)
