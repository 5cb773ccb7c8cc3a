"""What the lab's site answers to DHCP and DNS, as dnsmasq is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.lab.dnsmasq import dnsmasq_of
from tests.labplans import planned

LEASES = Path("leases")


def lines(mode: str = "managed") -> list[str]:
    plan = planned(f"controlPlane: 1\nworkers: 1\nprovisioningNetwork: {mode}\n")
    return dnsmasq_of(plan, LEASES).render().splitlines()


def test_every_host_has_its_address_and_its_name() -> None:
    plan = planned()
    told = dnsmasq_of(plan, LEASES).render().splitlines()
    for host in plan.hosts:
        card = host.nics[-1]
        assert f"dhcp-host={card.mac},{card.address},{host.name}" in told
        assert f"host-record={host.name}.test.ingot.test,{card.address}" in told


def test_the_vips_have_the_names_that_an_administrator_enters() -> None:
    told = lines()
    assert "host-record=api.test.ingot.test,192.168.111.5" in told
    assert "address=/apps.test.ingot.test/192.168.111.6" in told
    assert not [line for line in told if "api-int" in line]


def test_time_comes_from_the_lab() -> None:
    assert "dhcp-option=tag:baremetal,option:ntp-server,192.168.111.1" in lines()


@pytest.mark.parametrize("mode", ["managed", "disabled"])
def test_nobody_of_the_site_answers_on_the_provisioning_network(mode: str) -> None:
    assert not [line for line in lines(mode) if "provisioning" in line]


def test_an_unmanaged_provisioning_network_sends_each_role_to_its_own_server() -> None:
    told = lines("unmanaged")
    boots = [line for line in told if line.startswith("dhcp-boot=")]
    assert all("172.22.0.2" in line for line in boots if "tag:control-plane" in line)
    assert all("172.22.0.3" in line for line in boots if "tag:!control-plane" in line)
    assert [line for line in told if line.endswith(",set:control-plane")] == [
        f"dhcp-host={planned().hosts[0].nics[0].mac},set:control-plane"
    ]
