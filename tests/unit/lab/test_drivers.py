"""What a host's machine is made of follows from the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.lab.drivers import drivers_of, host_namespaces, machine_spec
from ingot.lab.labs import Lab
from ingot.machine.libvirt.driver import LibvirtDriver
from ingot.machine.uml.driver import UmlDriver
from tests.labplans import planned

MIXED = """\
hosts:
  - {name: a, role: control-plane, driver: uml}
  - {name: b, role: worker, driver: libvirt}
  - {name: c, role: worker, driver: libvirt}
  - {name: e, role: worker, driver: libvirt, libvirtURI: 'qemu:///system'}
  - {name: d, role: worker, driver: libvirt, libvirtURI: qemu+ssh://elsewhere/system}
"""


def test_disks_and_cards_are_those_of_the_plan() -> None:
    host = planned("controlPlane: 1\nworkers: 0\ndefaults: {disksGiB: [20, 5]}\n").hosts[0]
    spec = machine_spec(host)
    assert [disk.size_bytes for disk in spec.disks] == [20 << 30, 5 << 30]
    assert [(nic.mac, nic.bridge, nic.port) for nic in spec.nics] == [
        (nic.mac, nic.bridge, nic.port) for nic in host.nics
    ]


def test_each_host_has_the_driver_it_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INGOT_STATE", str(tmp_path))
    drivers = drivers_of(Lab("test"), planned(MIXED))
    assert isinstance(drivers["a"], UmlDriver)
    assert isinstance(drivers["b"], LibvirtDriver)
    assert drivers["b"] is drivers["c"]
    assert isinstance(drivers["d"], LibvirtDriver)
    assert drivers["d"].uri == "qemu+ssh://elsewhere/system"
    assert isinstance(drivers["e"], LibvirtDriver)
    assert drivers["e"].uri == "qemu:///system"
    assert "socket=" in drivers["b"].uri, "the lab's own libvirt"
    assert drivers["b"].owner == "ingot-test"


def test_cards_of_this_pc_s_libvirt_are_plugged_into_their_outlets() -> None:
    specs = {host.name: machine_spec(host) for host in planned(MIXED).hosts}
    for here in ("b", "e"):
        ports = [nic.port.removesuffix("t") for nic in specs[here].nics]
        assert [nic.bridge for nic in specs[here].nics] == [f"{port}b" for port in ports]
    assert [nic.bridge for nic in specs["d"].nics] == ["provisioning", "baremetal"]


def test_a_host_s_namespace_cannot_be_another_lab_s() -> None:
    assert host_namespaces("ingot-a", ["b"]) == ("ingot-a.host-b",)
