"""What a machine does between power and its first boot device."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from ingot.machine.model import BootSource, Power
from tests.e2e.site import eventually
from tests.integration.machine.firmware.bootable import Files, write_esp
from tests.integration.machine.firmware.conftest import Booting, defined
from tests.machines.tiny import Rack

ENTRY = "initrd /guest.cpio\noptions rw\n"


@pytest.fixture
def installed(booting: Booting, ramdisk: Path) -> Booting:
    """Return a machine with something on its disk."""
    write_esp(booting.home.disk(0), {"loader/entries/guest.conf": ENTRY, "guest.cpio": ramdisk})
    booting.tell(order=(BootSource.DISK,))
    return booting


def test_every_line_has_the_time_since_power_on(booting: Booting) -> None:
    console = booting.fails(BootSource.DISK)
    lines = console.splitlines()
    assert all(re.match(r"\[ *\d+\.\d{3}\] \S", line) for line in lines)
    assert re.search(r"host-0: 96 MiB .* it is \d{4}-\d\d-\d\dT\d\d:\d\d", lines[0])


def test_one_time_device_is_used_once_and_alone(installed: Booting) -> None:
    installed.tell(once=BootSource.MEDIA)
    installed.power_on()
    console = installed.shows("No bootable device")
    assert "boot once from: media" in console
    assert "disk: trying" not in console
    installed.driver.reset("host-0")
    console = installed.shows("guest: ready")
    assert "boot order: disk" in console
    assert installed.driver.boot_settings("host-0").once is None


def test_first_device_that_boots_is_taken(installed: Booting) -> None:
    installed.tell(order=(BootSource.MEDIA, BootSource.DISK, BootSource.NETWORK))
    installed.power_on()
    console = installed.shows("guest: ready")
    assert console.index("media: no medium") < console.index("disk: trying")
    assert "network: trying" not in console


def test_machine_without_a_bootable_device_stays_on(booting: Booting) -> None:
    booting.fails(BootSource.MEDIA, BootSource.DISK)
    assert booting.driver.power("host-0") is Power.ON
    booting.driver.power_off("host-0")
    assert booting.driver.power("host-0") is Power.OFF


def test_pressed_power_button_makes_a_reset_a_power_off(installed: Booting) -> None:
    installed.power_on()
    installed.shows("guest: ready")
    installed.driver.press_power_button("host-0")
    eventually(lambda: installed.driver.power("host-0") is Power.OFF, within=30)
    assert "power button was pressed: power off" in installed.console
    assert not installed.home.soft_off.exists()


def test_files_of_the_last_boot_are_removed(installed: Booting) -> None:
    left = installed.home.path / "boot/left"
    left.parent.mkdir()
    left.touch()
    installed.power_on()
    installed.shows("guest: ready")
    assert not left.exists()


def test_arguments_that_are_too_long_are_refused_before_the_kernel_does(
    booting: Booting, ramdisk: Path
) -> None:
    entry = f"{ENTRY}options {'x' * 1900}\n"
    write_esp(booting.home.disk(0), {"loader/entries/guest.conf": entry, "guest.cpio": ramdisk})
    console = booting.fails(BootSource.DISK)
    assert re.search(
        r"disk: the command line has \d+ characters, and the kernel takes 2047", console
    )


def test_longest_arguments_that_are_accepted_are_kept_whole(
    booting: Booting, ramdisk: Path
) -> None:
    files: Files = {
        "loader/entries/guest.conf": f"{ENTRY}options {'x' * 1900}\n",
        "guest.cpio": ramdisk,
    }
    write_esp(booting.home.disk(0), files)
    length = re.search(r"line has (\d+) characters", booting.fails(BootSource.DISK))
    assert length
    fitting = 1900 - (int(length[1]) - 2047)
    booting.driver.power_off("host-0")
    files["loader/entries/guest.conf"] = f"{ENTRY}options {'x' * fitting}\n"
    write_esp(booting.home.disk(0), files)
    booting.power_on()
    _, _, kernel = booting.shows("guest: ready").partition("Linux version")
    # The kernel shows a long command line in several pieces; this is the end of it.
    assert re.search(r" root=98:0 console=tty0\s", kernel)


def test_program_is_what_the_driver_starts_by_itself(rack: Rack) -> None:
    booting = defined(rack, firmware=(sys.executable, "-m", "ingot.machine.firmware"))
    assert "disk0.img is empty" in booting.fails(BootSource.DISK)
