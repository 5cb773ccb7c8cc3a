"""A machine follows the scripts of a real Ironic, up to its agent."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.machine.model import BootSource, Power
from ingot.osimage.ramdisk import LAB_INITRD
from ingot.osimage.ramdisk import ramdisk as agent_ramdisk
from tests.e2e.site import eventually
from tests.integration.machine.firmware.bootable import Files, disc, write_esp
from tests.integration.machine.firmware.conftest import MAC, Booting, defined
from tests.integration.machine.firmware.ironic_scripts import PER_MAC, boot_script, node_script
from tests.integration.machine.firmware.provisioning import URL, Provisioning
from tests.machines.tiny import Rack

NODE = "/8f5c9a52"
SCRIPT = f"/{PER_MAC}{MAC.replace(':', '-')}"
SECOND_SCRIPT = f"{SCRIPT[:-1]}2"
PATHS: dict[str, object] = {
    "deployment_aki_path": f"{URL}{NODE}/deploy_kernel",
    "deployment_ari_path": f"{URL}{NODE}/deploy_ramdisk",
    "aki_path": f"{URL}{NODE}/kernel",
    "ari_path": f"{URL}{NODE}/ramdisk",
}
PARAMETERS = f"nofb nomodeset vga=normal console=tty0 console=ttyS0,115200n8 ipa-api-url={URL}"
AGENT_SECONDS = 180


@pytest.fixture
def ironic(server: Provisioning, rack: Rack, ramdisk: Path) -> Provisioning:
    """Return a network as Ironic leaves it while it deploys."""
    server.files |= {
        "/boot.ipxe": boot_script().encode(),
        SCRIPT: node_script(**PATHS, pxe_append_params=PARAMETERS).encode(),
        f"{NODE}/deploy_kernel": rack.kernel,
        f"{NODE}/deploy_ramdisk": ramdisk,
    }
    return server


@pytest.fixture
def installed(booting: Booting, ramdisk: Path) -> Booting:
    files: Files = {
        "loader/entries/a.conf": "initrd /guest.cpio\noptions rw\n",
        "guest.cpio": ramdisk,
    }
    write_esp(booting.home.disk(0), files)
    return booting


def test_agent_boots_and_asks_for_ironic(rack: Rack, ironic: Provisioning) -> None:
    (made,) = make(Store(), [agent_ramdisk()], Silent())[-1:]
    ironic.files[f"{NODE}/deploy_ramdisk"] = made.artefact.path / LAB_INITRD
    booting = defined(rack, memory_mib=1024)
    booting.tell(order=(BootSource.NETWORK,))
    booting.power_on()

    def asks() -> bool:
        return any(path.startswith("/v1/lookup") and quote(MAC) in path for path in ironic.requests)

    try:
        eventually(asks, within=AGENT_SECONDS)
    except TimeoutError as late:
        raise AssertionError(booting.console[-5000:]) from late
    assert "ironic-python-agent" in booting.console


def test_node_is_found_by_its_second_card(booting: Booting, ironic: Provisioning) -> None:
    ironic.files[SECOND_SCRIPT] = ironic.files.pop(SCRIPT)
    console = booting.boots(BootSource.NETWORK)
    assert ironic.requests[:3] == ["/boot.ipxe", SCRIPT, SECOND_SCRIPT]
    assert f"BOOTIF={MAC}" in console


def test_kernel_that_is_not_there_yet_is_waited_for(
    booting: Booting, ironic: Provisioning, rack: Rack
) -> None:
    path = f"{NODE}/deploy_kernel"
    del ironic.files[path]
    booting.tell(order=(BootSource.NETWORK,))
    booting.power_on()
    booting.shows("No response, retrying in 2 seconds.")
    ironic.files[path] = rack.kernel
    booting.shows("guest: ready")


def test_deployed_node_boots_its_disk(installed: Booting, ironic: Provisioning) -> None:
    ironic.files[SCRIPT] = node_script("boot_whole_disk", **PATHS).encode()
    console = installed.boots(BootSource.NETWORK)
    assert "iPXE: disk0.img: boot loader entry a.conf" in console


def test_deployed_node_without_a_disk_goes_on_with_the_next_device(
    booting: Booting, ironic: Provisioning
) -> None:
    ironic.files[SCRIPT] = node_script("boot_whole_disk", **PATHS).encode()
    console = booting.fails(BootSource.NETWORK, BootSource.MEDIA)
    assert "Exiting pxe config to allow boot to continue on next device" in console
    assert console.index("network: iPXE exits with 0") < console.index("media: no medium")


def test_ramdisk_deployment_boots_kernel_and_ramdisk(
    booting: Booting, ironic: Provisioning, rack: Rack, ramdisk: Path
) -> None:
    ironic.files |= {
        SCRIPT: node_script("boot_ramdisk", **PATHS, ramdisk_opts="answer=42").encode(),
        f"{NODE}/kernel": rack.kernel,
        f"{NODE}/ramdisk": ramdisk,
    }
    assert "root=/dev/ram0 text" in booting.boots(BootSource.NETWORK)


def test_ramdisk_deployment_boots_an_iso(
    booting: Booting, ironic: Provisioning, rack: Rack, ramdisk: Path, tmp_path: Path
) -> None:
    isolinux = "label a\nkernel /vmlinuz\nappend initrd=/initrd answer=42 --\n"
    files: Files = {"vmlinuz": rack.kernel, "initrd": ramdisk, "isolinux/isolinux.cfg": isolinux}
    ironic.files |= {
        SCRIPT: node_script(
            "boot_ramdisk", **{**PATHS, "boot_iso_url": f"{URL}/boot.iso"}
        ).encode(),
        "/boot.iso": disc(tmp_path, files),
    }
    assert "answer=42" in booting.boots(BootSource.NETWORK)


def test_unknown_machine_runs_the_fallback(
    booting: Booting, ironic: Provisioning, rack: Rack, ramdisk: Path
) -> None:
    del ironic.files[SCRIPT]
    lines = ("#!ipxe", ":retry", "imgfree", "kernel /ipa.kernel ipa-debug=1 || goto retry",
             "initrd /ipa.initramfs || goto retry", "boot", "")  # fmt: skip
    ironic.files |= {
        "/boot.ipxe": boot_script("inspector.ipxe").encode(),
        "/inspector.ipxe": "\n".join(lines).encode(),
        "/ipa.kernel": rack.kernel,
        "/ipa.initramfs": ramdisk,
    }
    assert "ipa-debug=1" in booting.boots(BootSource.NETWORK)


def test_unknown_machine_without_a_fallback_goes_on_with_the_next_device(
    installed: Booting, ironic: Provisioning
) -> None:
    del ironic.files[SCRIPT]
    installed.tell(order=(BootSource.NETWORK, BootSource.DISK))
    installed.power_on()
    console = installed.shows("guest: ready")
    assert "No configuration found for any of the present NICs" in console
    assert installed.driver.power("host-0") is Power.ON
