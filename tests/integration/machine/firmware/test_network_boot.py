"""A machine boots from the network: DHCP, TFTP, iPXE, HTTP, and then its kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.machine.model import BootMode, BootSource, Power
from tests.e2e.site import call, eventually
from tests.integration.machine.firmware.conftest import MAC, Booting
from tests.integration.machine.firmware.provisioning import NAME, PREFIX, SERVER, URL, Provisioning
from tests.machines.tiny import Rack

SCRIPT = """#!ipxe
kernel --timeout 60000 {start}/kernel text BOOTIF=${{mac}} ip=dhcp initrd=ramdisk || goto failed
initrd {start}/ramdisk || goto failed
boot

:failed
echo it failed
shell
"""


@pytest.fixture
def served(server: Provisioning, rack: Rack, ramdisk: Path) -> Provisioning:
    """Return a network that has all that a machine asks for."""
    server.files |= {
        "/boot.ipxe": SCRIPT.format(start="").encode(),
        "/kernel": rack.kernel,
        "/ramdisk": ramdisk,
    }
    return server


def script(server: Provisioning, *lines: str) -> None:
    server.files["/boot.ipxe"] = "\n".join(("#!ipxe", *lines, "")).encode()


def test_kernel_and_ramdisk_come_from_the_network(booting: Booting, served: Provisioning) -> None:
    console = booting.boots(BootSource.NETWORK)
    assert f"from {SERVER}, boot file /undionly.kpxe" in console
    assert f"boot file {URL}/boot.ipxe" in console
    assert f" text BOOTIF={MAC} ip=dhcp" in console
    assert "initrd=ramdisk" not in console.partition("Linux version")[2]
    assert served.requests == ["/boot.ipxe", "/kernel", "/ramdisk"]
    assert booting.home.activity() == "network: kernel started"


def test_server_is_told_who_asks(booting: Booting, served: Provisioning) -> None:
    booting.boots(BootSource.NETWORK)
    assert "vendor class: PXEClient:Arch:00000:UNDI:002001" in served.log
    assert "user class: iPXE" in served.log


def test_uefi_machine_gets_the_boot_file_for_uefi(booting: Booting, served: Provisioning) -> None:
    booting.tell(mode=BootMode.UEFI)
    assert "boot file snponly.efi" in booting.boots(BootSource.NETWORK)
    assert "vendor class: PXEClient:Arch:00007:UNDI:002001" in served.log


@pytest.mark.usefixtures("served")
def test_card_is_left_silent_for_the_kernel(booting: Booting, rack: Rack) -> None:
    booting.boots(BootSource.NETWORK)
    card = call("ip", "-n", f"{rack.prefix}-host-0", "address", "show", "net0")
    assert PREFIX not in card
    assert "state DOWN" in card


def test_files_are_found_by_name(booting: Booting, served: Provisioning) -> None:
    served.files["/boot.ipxe"] = SCRIPT.format(start=URL.replace(SERVER, NAME)).encode()
    assert f"http://{NAME}:6180/ramdisk" in booting.boots(BootSource.NETWORK)


def test_files_may_come_by_tftp(
    booting: Booting, served: Provisioning, rack: Rack, ramdisk: Path
) -> None:
    for name, source in (("kernel", rack.kernel), ("ramdisk", ramdisk)):
        (served.tftp / name).write_bytes(source.read_bytes())
    served.files["/boot.ipxe"] = SCRIPT.format(start="tftp://${next-server}").encode()
    booting.boots(BootSource.NETWORK)
    assert (booting.home.path / "boot/4-ramdisk").read_bytes() == ramdisk.read_bytes()
    assert (booting.home.path / "boot/3-kernel").read_bytes() == rack.kernel.read_bytes()


def test_boot_file_may_be_a_script(booting: Booting, served: Provisioning) -> None:
    (served.tftp / "undionly.kpxe").write_text(
        f"#!ipxe\ndhcp\nchain {URL}/boot.ipxe\n", encoding="utf-8"
    )
    booting.boots(BootSource.NETWORK)


def test_redirects_are_followed(booting: Booting, served: Provisioning, rack: Rack) -> None:
    served.redirected["/kernel"] = "/elsewhere/kernel"
    served.files["/elsewhere/kernel"] = rack.kernel
    booting.boots(BootSource.NETWORK)


def test_form_is_sent_along(booting: Booting, served: Provisioning) -> None:
    served.files["/next"] = served.files["/boot.ipxe"]
    script(served, "params", "param mac ${mac}", "param who it is me", f"chain {URL}/next##params")
    booting.boots(BootSource.NETWORK)
    assert served.posted["/next"] == b"mac=52%3A54%3A00%3A00%3A0f%3A01&who=it+is+me"


def test_download_that_breaks_off_is_repeated_by_the_script(
    booting: Booting, served: Provisioning
) -> None:
    script(served, ":again", "imgfree", "kernel /kernel || goto again", "initrd /ramdisk", "boot")
    served.cut["/kernel"] = 1000
    console = booting.boots(BootSource.NETWORK)
    assert "kernel: " in console
    assert "broke off after 1000 of" in console
    assert served.requests.count("/kernel") == 2


def test_server_that_falls_silent_is_given_up(booting: Booting, served: Provisioning) -> None:
    served.silent_after["/ramdisk"] = 1000
    console = booting.shows_by_network("it failed")
    assert f"initrd: {URL}/ramdisk: timed out" in console


def test_missing_kernel_is_named_and_the_script_decides(
    booting: Booting, served: Provisioning
) -> None:
    del served.files["/kernel"]
    console = booting.shows_by_network("it failed")
    assert f"kernel: {URL}/kernel: 404 Not Found" in console
    booting.shows("iPXE> ")
    assert booting.driver.power("host-0") is Power.ON


def test_kernel_for_servers_is_refused_in_plain_words(
    booting: Booting, served: Provisioning
) -> None:
    served.files["/kernel"] = b"MZ".ljust(0x202, b"\0") + b"HdrS".ljust(1000, b"\0")
    console = booting.fails(BootSource.NETWORK)
    assert f"boot: {URL}/kernel is a kernel for PCs (bzImage)" in console


def test_missing_script_leads_to_the_next_device(booting: Booting, served: Provisioning) -> None:
    del served.files["/boot.ipxe"]
    console = booting.fails(BootSource.NETWORK, BootSource.DISK)
    assert f"chain: {URL}/boot.ipxe: 404 Not Found" in console
    assert console.index("network: iPXE exits with 1") < console.index("disk: trying to boot")


def test_missing_boot_file_leads_to_the_next_device(booting: Booting, served: Provisioning) -> None:
    (served.tftp / "undionly.kpxe").unlink()
    console = booting.fails(BootSource.NETWORK, BootSource.DISK)
    assert f"network: tftp://{SERVER}/undionly.kpxe: file" in console
    assert "not found" in console
    assert "disk: disk0.img is empty" in console


def test_no_dhcp_server_leads_to_the_next_device(booting: Booting) -> None:
    console = booting.fails(BootSource.NETWORK, BootSource.DISK)
    assert console.count("PXE: DHCP discover") == 2
    assert "no DHCP server gave an address within 10 seconds" in console
    assert "disk: disk0.img is empty" in console


def test_script_powers_off(booting: Booting, served: Provisioning) -> None:
    script(served, "poweroff")
    booting.tell(order=(BootSource.NETWORK,))
    booting.power_on()
    eventually(lambda: booting.driver.power("host-0") is Power.OFF, within=30)
    assert "power off" in booting.console


def test_script_starts_the_machine_over(booting: Booting, served: Provisioning) -> None:
    script(served, "reboot")
    booting.tell(order=(BootSource.NETWORK,))
    booting.power_on()
    booting.shows("boot order: network", times=3)


def test_script_boots_the_local_disk(booting: Booting, served: Provisioning) -> None:
    script(served, "sanboot --no-describe || exit 0")
    console = booting.fails(BootSource.NETWORK)
    assert "sanboot: disk0.img is empty" in console
    assert "network: iPXE exits with 0" in console
