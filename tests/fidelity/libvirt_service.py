"""A libvirt for tests, in a network namespace with a bridge; both are gone afterwards."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ingot.machine.libvirt.driver import LibvirtDriver
from ingot.machine.libvirt.platform import Accelerator
from ingot.machine.libvirt.service import LibvirtService
from ingot.machine.libvirt.tree import libvirt_tree
from ingot.machine.model import BootMode, Disk, MacAddress, MachineSpec, Nic
from tests.e2e.site import call, eventually, mac_of
from tests.fidelity.conftest import built
from tests.machines.network import inside

BRIDGE = "lan"
OWNER = "test"
BOOT_SECONDS = 1200.0
"""Emulation is about 23 times slower than the machine it runs on."""


@contextmanager
def namespace_with_bridge() -> Iterator[str]:
    """Make a network namespace."""
    name = f"ingot-test-{os.getpid()}"
    call("ip", "netns", "add", name)
    try:
        call("ip", "-n", name, "link", "add", BRIDGE, "type", "bridge")
        call("ip", "-n", name, "link", "set", BRIDGE, "up")
        yield name
    finally:
        call("ip", "netns", "delete", name)


@contextmanager
def private_libvirt(namespace: str) -> Iterator[LibvirtService]:
    """Start a libvirt in a network namespace."""
    # Not below pytest's own folders: the path of a socket has to be short.
    with tempfile.TemporaryDirectory(prefix="ingot-test-") as folder:
        service = LibvirtService(Path(folder, "libvirt"), built(libvirt_tree()))
        try:
            with inside(namespace):
                service.start()
            yield service
        finally:
            service.destroy()


def machine(name: str, number: int = 7, *, memory_mib: int = 512) -> MachineSpec:
    """Return a machine with an empty disk; its number decides its MAC."""
    return MachineSpec(
        name=name,
        uuid=f"00000000-0000-4000-8000-{number:012}",
        memory_mib=memory_mib,
        disks=(Disk(size_bytes=4 << 30, serial=f"DISK-{number}", wwn=f"0x{number:016x}"),),
        nics=(Nic(mac=MacAddress(mac_of(number)), bridge=BRIDGE, port=f"m{number}-0"),),
    )


@dataclass(frozen=True)
class LibvirtBench:
    """What the contract of all drivers wants to have."""

    service: LibvirtService
    driver: LibvirtDriver
    folder: Path
    image: Path | None = None
    mode: BootMode = BootMode.UEFI
    boot_seconds: float = BOOT_SECONDS

    def another_driver(self) -> LibvirtDriver:
        return self.service.driver(OWNER, accelerator=self.driver.accelerator)

    def empty(self, name: str) -> MachineSpec:
        return machine(name, sum(name.encode()) % 200)

    def system(self, name: str, drive: Path) -> MachineSpec:
        spec = machine(name)
        disk = Disk(size_bytes=8 << 30, serial="SYSTEM", wwn="0x0000000000000001", image=self.image)
        return MachineSpec(
            name=name,
            uuid=spec.uuid,
            memory_mib=2048,
            cpus=2,
            disks=(disk,),
            nics=spec.nics,
            drives=(drive,),
        )

    def shows(self, name: str, text: str, *, since: int = 0) -> None:
        """Wait until a machine's console shows a text."""
        console = self.driver.console(name)

        def shown() -> bool:
            return text.encode() in console.read_bytes()[since:]

        try:
            eventually(shown, within=self.boot_seconds)
        except TimeoutError as late:
            seen = console.read_text(encoding="utf-8", errors="replace")
            raise AssertionError(f"no {text!r} on\n{seen[-6000:]}") from late


@contextmanager
def bench_of(
    service: LibvirtService, folder: Path, accelerator: Accelerator, image: Path | None = None
) -> Iterator[LibvirtBench]:
    """Make a bench; its machines are gone afterwards, and so is what they left."""
    driver = service.driver(OWNER, accelerator=accelerator)
    try:
        yield LibvirtBench(service, driver, folder, image)
    finally:
        for name in driver.machines():
            driver.undefine(name)
