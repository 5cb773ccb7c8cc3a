"""User-Mode Linux machines, with their real firmware, do what machines of every driver do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ingot.machine.home import Home, uml_dir
from ingot.machine.model import BootMode, Disk, MacAddress, MachineSpec, Nic
from ingot.machine.uml.driver import UmlDriver
from tests.e2e.site import Site, mac_of
from tests.e2e.uml import Hardware
from tests.machines.contract import DriverContract
from tests.machines.network import inside
from tests.machines.tiny import processes_of

EMPTY_BYTES = 1 << 30


@dataclass
class UmlBench:
    """Machines on a site that has DHCP, and nothing to boot."""

    site: Site
    hardware: Hardware
    driver: UmlDriver = field(init=False)
    mode: BootMode = BootMode.LEGACY
    boot_seconds: float = 300.0

    def __post_init__(self) -> None:
        self.driver = self.another_driver()

    @property
    def folder(self) -> Path:
        return self.site.folder

    @property
    def home(self) -> Path:
        return self.folder / "machines"

    def another_driver(self) -> UmlDriver:
        return UmlDriver(
            self.home, kernel=self.hardware.kernel, namespace_prefix=self.site.namespace
        )

    def empty(self, name: str) -> MachineSpec:
        return self._spec(name, 256, None, ())

    def system(self, name: str, drive: Path) -> MachineSpec:
        return self._spec(name, self.hardware.memory_mib, self.hardware.image, (drive,))

    def _spec(
        self, name: str, memory_mib: int, image: Path | None, drives: tuple[Path, ...]
    ) -> MachineSpec:
        number = 2 + sum(map(ord, name)) % 7  # One of those that the site has an address for.
        size = self.hardware.disk_bytes if image else EMPTY_BYTES
        return MachineSpec(
            name=name,
            uuid=f"00000000-0000-0000-0000-{number:012}",
            memory_mib=memory_mib,
            disks=(Disk(size_bytes=size, serial=name, wwn=f"0x{number:016x}", image=image),),
            nics=(Nic(mac=MacAddress(mac_of(number)), bridge="lan", port=f"m{number}"),),
            drives=drives,
        )


@pytest.fixture
def bench(site: Site, hardware: Hardware) -> Iterator[UmlBench]:
    with inside(site.namespace):
        bench = UmlBench(site, hardware)
        try:
            yield bench
        finally:
            homes = [Home(path) for path in bench.home.glob("*")]
            for home in homes:
                bench.driver.undefine(home.path.name)
        assert not any(home.path.exists() or uml_dir(home).exists() for home in homes)
        assert processes_of(bench.home) == []


class TestUmlDriver(DriverContract):
    """The contract."""
