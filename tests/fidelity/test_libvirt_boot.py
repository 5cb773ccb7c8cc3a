"""Machines by libvirt boot from the network and from a medium by real firmware."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.machine.libvirt.platform import Accelerator
from ingot.machine.libvirt.service import LibvirtService
from ingot.machine.model import BootMode, BootSettings, BootSource
from ingot.osimage.iso import ISO, agent_iso
from ingot.osimage.ramdisk import ramdisk
from tests.e2e.site import mac_of
from tests.fidelity.conftest import built
from tests.fidelity.libvirt_service import (
    BRIDGE,
    LibvirtBench,
    bench_of,
    machine,
    namespace_with_bridge,
    private_libvirt,
)
from tests.fidelity.netboot import ADDRESS, netboot

NUMBER = 7
KERNEL = "Linux version 6."
FIRST = f"""\
#!ipxe
echo the first script runs on ${{platform}}
chain {ADDRESS}/second.ipxe
"""
SECOND = f"""\
#!ipxe
echo the second script knows ${{net0/mac}}
kernel {ADDRESS}/vmlinuz console=ttyS0
boot
"""


@pytest.fixture
def namespace() -> Iterator[str]:
    with namespace_with_bridge() as name:
        yield name


@pytest.fixture
def service(namespace: str) -> Iterator[LibvirtService]:
    with private_libvirt(namespace) as running:
        yield running


@pytest.fixture
def bench(service: LibvirtService, tmp_path: Path) -> Iterator[LibvirtBench]:
    with bench_of(service, tmp_path, Accelerator.EMULATION) as made:
        yield made


@pytest.mark.parametrize(
    ("mode", "platform"), [(BootMode.UEFI, "efi"), (BootMode.LEGACY, "pcbios")]
)
def test_network_boot_runs_scripts_over_http_and_starts_a_kernel(
    namespace: str, bench: LibvirtBench, mode: BootMode, platform: str
) -> None:
    (bench.folder / "first.ipxe").write_text(FIRST, encoding="utf-8")
    (bench.folder / "second.ipxe").write_text(SECOND, encoding="utf-8")
    shutil.copy(built(ramdisk()) / "vmlinuz", bench.folder)
    with netboot(namespace, BRIDGE, bench.folder, "first.ipxe"):
        bench.driver.define(machine("one", NUMBER))
        told = BootSettings(mode=mode, order=(BootSource.NETWORK,))
        bench.driver.set_boot_settings("one", told)
        bench.driver.power_on("one")
        bench.shows("one", f"the first script runs on {platform}")
        bench.shows("one", f"the second script knows {mac_of(NUMBER)}")
        bench.shows("one", KERNEL)


def test_medium_boots_for_one_start(bench: LibvirtBench) -> None:
    bench.driver.define(machine("one", memory_mib=2048))
    usual = BootSettings(mode=BootMode.UEFI, media=built(agent_iso()) / ISO)
    bench.driver.set_boot_settings("one", replace(usual, once=BootSource.MEDIA))
    bench.driver.power_on("one")
    bench.shows("one", "UEFI QEMU DVD-ROM")
    bench.shows("one", KERNEL)
    assert bench.driver.boot_settings("one") == usual
