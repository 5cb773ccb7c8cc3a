"""Who answers DHCP on a network, asked with a real dnsmasq on the other end of the wire."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from ingot.dhcp.servers import DhcpServer, servers_on
from tests.e2e.site import call, eventually
from tests.integration.lab.faults.bench import entered

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

OURS, THEIRS = (f"ingot-test-{side}{os.getpid()}" for side in ("ask", "dhcp"))
CARD = "prov"
SERVER = IPv4Address("192.168.77.1")
"""Of another network than our card's own: whoever sets one up by accident has not asked us."""
SERVER_MAC = "02:00:00:00:77:01"
KNOWN = "52:54:00:00:00:07"


@dataclass(frozen=True)
class Wire:
    """A cable between two machines."""

    folder: Path

    @contextmanager
    def served(self, *options: str) -> Iterator[None]:
        """Have a DHCP server on the other end."""
        pid_file = self.folder / "dnsmasq.pid"
        command = (
            "ip", "netns", "exec", THEIRS, "dnsmasq", "--keep-in-foreground", "--port=0",
            "--conf-file=/dev/null", f"--interface={CARD}", f"--pid-file={pid_file}", "--user=root",
            "--dhcp-range=192.168.77.100,192.168.77.200", "--leasefile-ro", "--log-dhcp",
            "--log-facility=-", *options,
        )  # fmt: skip
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stderr=log)
        try:
            eventually(pid_file.exists, within=20, every=0.02)
            yield
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    sides = {OURS: "172.22.0.2/24", THEIRS: f"{SERVER}/24"}
    try:
        for name in sides:
            call("ip", "netns", "add", name)
        call(
            "ip", "-n", THEIRS, "link", "add", CARD, "address", SERVER_MAC, "type", "veth",
            "peer", "name", CARD, "netns", OURS,
        )  # fmt: skip
        for name, address in sides.items():
            call("ip", "-n", name, "address", "add", address, "dev", CARD)
            call("ip", "-n", name, "link", "set", CARD, "up")
        yield Wire(tmp_path)
    finally:
        for name in sides:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def asked(*macs: str, tries: int = 3) -> tuple[DhcpServer, ...]:
    with entered(OURS):
        return servers_on(CARD, macs, tries=tries)


def test_a_server_is_found_with_its_address_and_its_mac(wire: Wire) -> None:
    with wire.served("--no-ping"):
        assert asked() == (DhcpServer(SERVER, SERVER_MAC),)


def test_a_server_that_pings_first_is_found_too(wire: Wire) -> None:
    with wire.served():
        assert asked() == (DhcpServer(SERVER, SERVER_MAC),)


def test_a_server_that_answers_to_those_it_knows_is_found_by_them(wire: Wire) -> None:
    known = (f"--dhcp-host={KNOWN},192.168.77.150", "--dhcp-ignore=tag:!known", "--no-ping")
    with wire.served(*known):
        assert asked(tries=1) == ()
        assert asked("52:54:00:00:00:01", KNOWN) == (DhcpServer(SERVER, SERVER_MAC),)


def test_asking_takes_no_lease(wire: Wire) -> None:
    with wire.served("--no-ping"):
        asked()
    log = (wire.folder / "log").read_text(encoding="utf-8")
    assert "DHCPOFFER" in log
    assert "DHCPACK" not in log


def test_where_nobody_answers_there_is_nobody(wire: Wire) -> None:
    del wire  # It is there, and the other end is silent.
    assert asked(tries=1) == ()


def test_a_card_that_is_not_there_is_an_error(wire: Wire) -> None:
    del wire
    with entered(OURS), pytest.raises(OSError, match="No such device"):
        servers_on("gone", ())
