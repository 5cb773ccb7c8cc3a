"""An install directory with servers and a VM: real BMCs on loopback, a VM of the real driver."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ingot.assets.payload import Payload
from ingot.config.sample import sample
from ingot.installer.bootstrapvm import NAME
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import VM, InstallJournal
from ingot.installer.targets import make_target, requested
from ingot.installer.vmdriver import driver_of
from ingot.machine import namespaces
from ingot.machine.driver import Driver
from ingot.machine.model import Disk, MacAddress, MachineSpec, Nic, Power
from tests.integration.bmc.ipmi_bench import IpmiBench, ipmi_bench
from tests.integration.lab.redfish_bench import FIRST, PASSWORD, SECOND, USER, Bench, bench

__all__ = ["INGOT", "OLD", "Site", "network", "site"]

INGOT = Path(sys.executable).parent / "ingot"
PAYLOAD = Payload(
    kubernetes="v1.36.3",
    onprem="onprem:1",
    metal3="metal3:1",
    traefik="traefik:1",
    disk_sha256="0" * 64,
)
OLD = "old-0"
"""The host whose BMC speaks IPMI."""


@dataclass
class Site:
    """An install directory, three servers, and a network namespace for the VM."""

    path: Path
    namespace: str
    redfish: Bench
    ipmi: IpmiBench

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [INGOT, "--dir", self.path, *words],
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )

    @property
    def directory(self) -> InstallDirectory:
        return InstallDirectory(self.path)

    @property
    def driver(self) -> Driver:
        found = driver_of(self.directory)
        assert found is not None
        return found

    def power(self) -> dict[str, Power]:
        machines = {**self.redfish.driver.all, **self.ipmi.driver.all}
        return {name: machine.power for name, machine in machines.items()}

    def make_files(self) -> None:
        with self.directory.held():
            make_target(self.directory, "ignition-configs", requested(self.directory), PAYLOAD)

    def begin(self) -> None:
        """Bring it as far as `create cluster` does until the first server is switched on."""
        self.make_files()
        InstallJournal(self.directory.journal).add(VM, "began")
        nic = Nic(mac=MacAddress("52:54:00:00:99:01"), bridge="baremetal", port="destroyed")
        disk = Disk(size_bytes=1 << 20, serial="s", wwn="0x5000000000000001")
        self.driver.define(
            MachineSpec(name=NAME, uuid="", memory_mib=64, disks=(disk,), nics=(nic,))
        )
        for name in (FIRST, SECOND):
            self.redfish.driver.power_on(name)
        self.ipmi.driver.power_on(OLD)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    path = tmp_path / "install"
    path.mkdir(mode=0o700)
    with (
        network(f"ingot-destroy-{os.getpid()}") as namespace,
        bench(tmp_path / "redfish") as redfish,
        ipmi_bench(tmp_path, OLD) as ipmi,
    ):
        made = Site(path, namespace, redfish, ipmi)
        (path / "install-config.yaml").write_text(config(made), encoding="utf-8")
        yield made


@contextmanager
def network(name: str) -> Iterator[str]:
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "link", "add", "baremetal", "type", "bridge"], check=True)
        yield name
    finally:
        namespaces.delete(name)


def config(site: Site) -> str:
    content = yaml.safe_load(sample("managed"))
    platform = content["platform"]["baremetal"]
    machines = site.path.parent / "machines"
    platform["libvirtURI"] = f"uml://{machines}?netns={site.namespace}&kernel={INGOT}"
    content["compute"][0]["replicas"] = 0
    # Whoever destroys a cluster asks its API which servers it has. Here nobody answers, at once.
    content["networking"]["machineNetwork"] = [{"cidr": "127.0.111.0/24"}]
    platform["apiVIPs"], platform["ingressVIPs"] = ["127.0.111.5"], ["127.0.111.6"]
    addresses = {
        name: site.redfish.url(name, site.redfish.system_path(name)).replace("https", "redfish", 1)
        for name in (FIRST, SECOND)
    }
    addresses[OLD] = site.ipmi.address(OLD)
    bmc = site.ipmi.chassis[OLD].plan.bmc
    assert (bmc.username, bmc.password) != ("", "")
    platform["hosts"] = [
        {
            "name": name,
            "role": "master",
            "bootMACAddress": f"52:54:00:00:00:{number:02x}",
            "bmc": {
                "address": address,
                "username": bmc.username if name == OLD else USER,
                "password": bmc.password if name == OLD else PASSWORD,
                **({} if name == OLD else {"disableCertificateVerification": True}),
            },
        }
        for number, (name, address) in enumerate(addresses.items(), 0x10)
    ]
    return str(yaml.safe_dump(content))
