"""What network data becomes is read by the real systemd-networkd, on cards of a test's own.

The cards are one end of a veth each, so their files are told to match that kind. This kernel may
have no bonds and no VLANs: networkd reads their files all the same, and says what it does not
understand.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from ingot import process
from ingot.agent.networkdata import network_files
from ingot.onprem.resolvconf import upstreams_of

NETWORKD = Path("/usr/lib/systemd/systemd-networkd")
READY_SECONDS = 30

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="networks of a test's own are only made by root"),
    pytest.mark.skipif(not NETWORKD.exists(), reason="systemd-networkd is not installed"),
]

MACS = ("52:54:00:00:00:01", "52:54:00:00:00:02")
CARD, OTHER = (
    {"id": f"eth{number}", "type": "phy", "ethernet_mac_address": mac}
    for number, mac in enumerate(MACS)
)
ANY = "0.0.0.0"  # noqa: S104 - where a default route leads
DATA = {
    "links": [
        {**CARD, "mtu": 1400},
        OTHER,
        {
            "id": "bond0",
            "type": "bond",
            "ethernet_mac_address": MACS[1],
            "bond_links": ["eth1"],
            "bond_mode": "802.3ad",
            "bond_xmit_hash_policy": "layer3+4",
        },
        {"id": "bond0.7", "type": "vlan", "vlan_link": "bond0", "vlan_id": 7},
    ],
    "networks": [
        {
            "type": "ipv4",
            "link": "eth0",
            "ip_address": "192.0.2.20",
            "netmask": "255.255.255.0",
            "routes": [
                {"network": ANY, "netmask": ANY, "gateway": "192.0.2.1"},
                {"network": "198.51.100.0", "netmask": "255.255.255.0", "gateway": "192.0.2.2"},
            ],
        },
        {
            "type": "ipv6",
            "link": "eth0",
            "ip_address": "2001:db8::20",
            "netmask": "ffff:ffff:ffff:ffff::",
            "routes": [{"network": "::", "netmask": "::", "gateway": "2001:db8::1"}],
        },
        {"type": "ipv4_dhcp", "link": "bond0"},
        {"type": "ipv6_dhcp", "link": "bond0"},
        {"type": "ipv6_slaac", "link": "bond0.7"},
    ],
    "services": [{"type": "dns", "address": "192.0.2.3"}, {"type": "dns", "address": "192.0.2.4"}],
}

# networkd takes a /sys that is not writable for a container's, and does not wait for udev then.
SCRIPT = """\
set -eu
mount -t tmpfs tmpfs /run
mkdir /run/systemd
mount --bind "$1" /etc/systemd/network
mount -t sysfs -o ro sysfs /sys
for number in 0 1; do
    ip link add "eth$number" type veth peer name "far$number"
    ip link set "far$number" up
done
ip link set eth0 address "$2"
ip link set eth1 address "$3"
SYSTEMD_LOG_TARGET=console SYSTEMD_LOG_COLOR=0 exec "$4"
"""


class Networkd:
    """A running networkd, and the namespaces it runs in."""

    def __init__(self, home: Path, keeper: subprocess.Popen[bytes]) -> None:
        self._home = home
        self._keeper = keeper

    def inside(self, *command: str) -> str:
        (child,) = self._children()
        return process.run(["nsenter", "--target", child, "--net", "--mount", "--", *command])

    def facts(self, *command: str) -> list[dict[str, Any]]:
        facts: list[dict[str, Any]] = json.loads(self.inside("ip", "-json", *command))
        return facts

    def state(self) -> str:
        return self.inside("cat", "/run/systemd/netif/state")

    def said(self) -> str:
        return (self._home / "log").read_text("utf-8")

    def wait_until_online(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self._is_online():
            if self._keeper.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"networkd did not set the network: {self.said()}")
            time.sleep(0.1)

    def _is_online(self) -> bool:
        try:
            state = self.state() if self._children() else ""
        except process.CommandFailed:  # the file is not there yet
            return False
        return state.count("_ADDRESS_STATE=routable") == len(("IPv4", "IPv6"))

    def _children(self) -> list[str]:
        listed = Path(f"/proc/{self._keeper.pid}/task/{self._keeper.pid}/children")
        return listed.read_text("utf-8").split()


@pytest.fixture(scope="module")
def networkd() -> Iterator[Networkd]:
    home = Path(tempfile.mkdtemp(prefix="ingot-"))
    home.chmod(0o755)  # networkd is not root
    files = home / "files"
    files.mkdir()
    for name, text in network_files(DATA).items():
        (files / name).write_text(text.replace("Kind=!*", "Kind=veth"), encoding="utf-8")
    with (home / "log").open("w") as log:
        keeper = subprocess.Popen(
            [
                "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                "sh", "-c", SCRIPT, "networkd", files, *MACS, NETWORKD,
            ],
            stdout=log,
            stderr=log,
        )  # fmt: skip
    try:
        started = Networkd(home, keeper)
        started.wait_until_online()
        yield started
    finally:
        keeper.kill()
        keeper.wait(READY_SECONDS)
        shutil.rmtree(home)


def test_networkd_understands_every_line(networkd: Networkd) -> None:
    assert {line for line in networkd.said().splitlines() if "/etc/systemd/network/" in line} == {
        "eth0: Configuring with /etc/systemd/network/50-ingot-000.network.",
        "eth1: Configuring with /etc/systemd/network/50-ingot-001.network.",
    }


def test_a_card_has_its_addresses(networkd: Networkd) -> None:
    (card,) = networkd.facts("address", "show", "dev", "eth0")
    given = [one for one in card["addr_info"] if one["scope"] == "global"]
    assert {f"{one['local']}/{one['prefixlen']}" for one in given} == {
        "192.0.2.20/24",
        "2001:db8::20/64",
    }
    assert card["mtu"] == 1400


def test_a_card_has_its_routes(networkd: Networkd) -> None:
    routes = [*networkd.facts("route"), *networkd.facts("-6", "route")]
    assert {(one["dst"], one["gateway"]) for one in routes if "gateway" in one} == {
        ("default", "192.0.2.1"),
        ("198.51.100.0/24", "192.0.2.2"),
        ("default", "2001:db8::1"),
    }


def test_the_nodes_dns_finds_the_name_servers(networkd: Networkd) -> None:
    given = upstreams_of(networkd.state(), own=())
    assert given.servers == (ip_address("192.0.2.3"), ip_address("192.0.2.4"))
