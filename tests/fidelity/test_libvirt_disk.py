"""A slow disk of a libvirt host, as libvirt and QEMU have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ingot.lab.faults.disk import Domain
from ingot.machine.libvirt.domain import domain_name
from ingot.machine.libvirt.driver import LibvirtDriver
from ingot.machine.libvirt.service import LibvirtService
from ingot.machine.libvirt.tree import libvirt_tree
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.model import Disk, MachineSpec
from tests.fidelity.conftest import built

OWNER = "ingot-test"
MACHINE = "slow"
SPEC = MachineSpec(
    name=MACHINE,
    uuid="00000000-0000-0000-0000-000000000001",
    memory_mib=128,
    disks=(Disk(size_bytes=1 << 20, serial="DISK", wwn="0x5000000000000001"),),
    nics=(),
)


@pytest.fixture
def driver() -> Iterator[LibvirtDriver]:
    """Return a driver on a libvirt of our own, with one machine, off."""
    # A socket's path must be short, which pytest's own folders are not.
    with TemporaryDirectory(prefix="ingot-test-") as folder:
        service = LibvirtService(Path(folder) / "libvirt", built(libvirt_tree()))
        try:
            service.start()
            made = service.driver(OWNER)
            made.define(SPEC)
            yield made
        finally:
            service.destroy()


def limit(virsh: Virsh, scope: str) -> int:
    said = virsh("blkdeviotune", domain_name(OWNER, MACHINE), "sda", scope)
    facts = dict(line.split(":") for line in said.splitlines() if ":" in line)
    return int({name.strip(): value for name, value in facts.items()}["total_iops_sec"])


def test_disk_slow_limits_a_machine_that_is_on_or_off_until_it_is_cleared(
    driver: LibvirtDriver,
) -> None:
    virsh = Virsh(driver.uri, driver.program)
    domain = Domain(virsh, domain_name(OWNER, MACHINE))
    domain.limit_disks(50)
    assert limit(virsh, "--config") == 50
    driver.power_on(MACHINE)
    assert limit(virsh, "--live") == 50
    domain.limit_disks(7)
    assert limit(virsh, "--live") == 7
    domain.limit_disks(0)
    assert limit(virsh, "--live") == limit(virsh, "--config") == 0
