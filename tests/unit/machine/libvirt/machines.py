"""A machine for tests of what libvirt is told."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ingot.machine.libvirt.domain import Domain
from ingot.machine.libvirt.platform import Accelerator, Platform
from ingot.machine.libvirt.record import Record
from ingot.machine.model import BootMode, BootSettings, Disk, MacAddress, MachineSpec, Nic

EMULATED = Platform(accelerator=Accelerator.EMULATION, emulator="/usr/bin/qemu-system-x86_64")
ACCELERATED = Platform(accelerator=Accelerator.KVM, emulator="/usr/bin/qemu-system-x86_64")
UEFI = BootSettings(mode=BootMode.UEFI)

SPEC = MachineSpec(
    name="node-1",
    uuid="6d1f0c9e-3f0e-4c43-8d4e-0a2f6f3a5b11",
    memory_mib=2048,
    cpus=2,
    disks=(
        Disk(size_bytes=8 << 30, serial="DISK-1", wwn="0x5000c50000000001"),
        Disk(size_bytes=4 << 30, serial="DISK-2", wwn="0x5000c50000000002"),
    ),
    nics=(
        Nic(mac=MacAddress("52:54:00:00:00:01"), bridge="provisioning", port="n1-0"),
        Nic(mac=MacAddress("52:54:00:00:00:02"), bridge="baremetal", port="n1-1"),
    ),
    drives=(Path("/images/config.iso"),),
)


def record(
    boot: BootSettings = UEFI, *, medium: str | None = None, platform: Platform = EMULATED
) -> Record:
    return Record(spec=SPEC, platform=platform, boot=boot, medium=medium)


def domain(told: Record) -> Domain:
    return Domain(owner="lab-a", record=told, pool=PurePosixPath("/pool"))
