"""Machines with the real firmware, on a network that boots them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ingot.machine.home import Home
from ingot.machine.model import BootSettings, BootSource, Disk, MacAddress, MachineSpec, Nic
from ingot.machine.uml.driver import UmlDriver
from tests.e2e.site import eventually
from tests.integration.machine.firmware.provisioning import Provisioning, provisioning
from tests.machines.tiny import BRIDGE, Rack

MAC = "52:54:00:00:0f:01"
IMPATIENT = """
import sys
from pathlib import Path
from ingot.machine.firmware.start import power_on
from ingot.machine.firmware.timing import Timing
from ingot.machine.home import Home

power_on(
    Home(Path(sys.argv[1])),
    Timing(rom=(2.0, 8.0), ipxe=(2.0, 8.0), stall=5.0, failure=0.1, reset=0.1),
)
"""
"""The firmware with less patience, so that tests of failures are short; but with enough for a
server that has to share a busy machine."""
WITHIN = 120.0


@dataclass
class Booting:
    """A machine that is defined, and off."""

    driver: UmlDriver
    home: Home
    spec: MachineSpec

    @property
    def console(self) -> str:
        return self.home.console.read_text(encoding="utf-8", errors="replace")

    def tell(self, **settings: object) -> None:
        """Change what its firmware is told."""
        before = self.driver.boot_settings(self.spec.name)
        self.driver.set_boot_settings(self.spec.name, replace(before, **settings))  # type: ignore[arg-type]

    def power_on(self) -> None:
        self.driver.power_on(self.spec.name)

    def shows(self, text: str, *, times: int = 1, within: float = WITHIN) -> str:
        """Wait until its console shows something; return the console."""
        try:
            eventually(lambda: self.console.count(text) >= times, within=within, every=0.05)
        except TimeoutError as late:
            raise AssertionError(f"no {text!r} on\n{self.console[-5000:]}") from late
        return self.console

    def boots(self, source: BootSource) -> str:
        """Power it on with one boot device; return the console when a guest is up."""
        self.tell(order=(source,))
        self.power_on()
        return self.shows("guest: ready")

    def fails(self, *order: BootSource) -> str:
        """Power it on; return the console when nothing could be booted."""
        self.tell(order=order)
        self.power_on()
        return self.shows("No bootable device")

    def shows_by_network(self, text: str) -> str:
        """Power it on to boot from the network; return the console when it shows something."""
        self.tell(order=(BootSource.NETWORK,))
        self.power_on()
        return self.shows(text)


@pytest.fixture
def server(rack: Rack, tmp_path: Path) -> Iterator[Provisioning]:
    """Return a network that serves, in the namespace of the rack."""
    assert rack.prefix
    with provisioning(tmp_path / "served") as served:
        yield served


@pytest.fixture
def booting(rack: Rack) -> Booting:
    return defined(rack)


def defined(
    rack: Rack,
    *,
    memory_mib: int = 96,
    firmware: tuple[str, ...] = (sys.executable, "-c", IMPATIENT),
) -> Booting:
    """Define a machine with the real firmware."""
    driver = rack.driver(firmware=firmware)
    spec = MachineSpec(
        name="host-0",
        uuid="8f5c9a52-3f0e-4f0f-8b7e-0a1b2c3d4e5f",
        memory_mib=memory_mib,
        disks=(
            Disk(size_bytes=64 << 20, serial="DISK0", wwn="0x5000000000000001"),
            Disk(size_bytes=1 << 20, serial="DISK1", wwn="0x5000000000000002"),
        ),
        nics=(
            Nic(mac=MacAddress(MAC), bridge=BRIDGE, port="h0-0"),
            Nic(mac=MacAddress("52:54:00:00:0f:02"), bridge=BRIDGE, port="h0-1"),
        ),
    )
    driver.define(spec)
    driver.set_boot_settings(spec.name, BootSettings())
    return Booting(driver, Home(rack.home / spec.name), spec)
