"""A machine boots what the boot loader entries on its disk say."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.machine.model import BootSource
from tests.integration.machine.firmware.bootable import DATA_KIND, partition, write_esp
from tests.integration.machine.firmware.conftest import Booting
from tests.machines.tiny import Rack

ENTRY = "title Guest\ninitrd /guest.cpio\noptions rw answer=42\n"
LOADER = "timeout 2\ndefault guest.conf\neditor no\n"
BZIMAGE = b"MZ".ljust(0x202, b"\0") + b"HdrS".ljust(100_000, b"\0")


def test_entry_without_a_kernel_gets_that_of_the_lab(booting: Booting, ramdisk: Path) -> None:
    write_esp(
        booting.home.disk(0),
        {
            "loader/loader.conf": LOADER,
            "loader/entries/guest.conf": ENTRY,
            "loader/entries/zzz.conf": "title Not chosen\noptions panic\n",
            "guest.cpio": ramdisk,
        },
    )
    console = booting.boots(BootSource.DISK)
    assert "boot loader entry guest.conf (Guest)" in console
    assert "rw answer=42" in console
    assert booting.home.activity() == "disk: kernel started"


def test_entry_with_a_kernel_gets_its_own(booting: Booting, rack: Rack, ramdisk: Path) -> None:
    write_esp(
        booting.home.disk(0),
        {
            "loader/entries/guest.conf": f"linux /own/linux\n{ENTRY}",
            "own/linux": rack.kernel,
            "guest.cpio": ramdisk,
        },
    )
    console = booting.boots(BootSource.DISK)
    assert "answer=42" in console
    assert (booting.home.path / "boot/1-kernel").read_bytes() == rack.kernel.read_bytes()


def test_machine_that_starts_over_boots_again(booting: Booting, ramdisk: Path) -> None:
    write_esp(booting.home.disk(0), {"loader/entries/guest.conf": ENTRY, "guest.cpio": ramdisk})
    booting.boots(BootSource.DISK)
    before = booting.home.process.pid()
    files = open_files(before)
    order = b"1 reboot\n".ljust(512, b"\0")
    with booting.home.disk(1).open("r+b") as mailbox:
        mailbox.write(order)
    console = booting.shows("guest: ready", times=2)
    assert console.count("boot order: disk") == 2
    assert booting.home.process.pid() == before
    assert open_files(before) == files


def open_files(pid: int | None) -> int:
    return len(list(Path("/proc", str(pid), "fd").iterdir()))


def test_kernel_for_servers_is_refused_in_plain_words(booting: Booting, tmp_path: Path) -> None:
    kernel = tmp_path / "vmlinuz"
    kernel.write_bytes(BZIMAGE)
    write_esp(
        booting.home.disk(0),
        {"loader/entries/metal.conf": "linux /vmlinuz\noptions rw\n", "vmlinuz": kernel},
    )
    console = booting.fails(BootSource.DISK)
    assert "disk0.img: /vmlinuz is a kernel for PCs (bzImage)" in console


def test_missing_kernel_is_named(booting: Booting) -> None:
    write_esp(booting.home.disk(0), {"loader/entries/x.conf": "linux /gone\noptions rw\n"})
    assert "disk0.img: cannot read /gone" in booting.fails(BootSource.DISK)


def test_esp_without_entries_is_not_bootable(booting: Booting) -> None:
    write_esp(booting.home.disk(0), {"EFI/other": "nothing for us"})
    assert "disk0.img has no boot loader entries" in booting.fails(BootSource.DISK)


def test_empty_disk_is_not_bootable(booting: Booting) -> None:
    console = booting.fails(BootSource.DISK)
    assert "disk: disk0.img is empty" in console
    assert booting.home.activity() == "no bootable device"
    assert booting.home.process.pid() is not None


@pytest.mark.parametrize(
    ("first_sector", "said"),
    [
        (b"\xeb\x3c".ljust(510, b"\0") + b"\x55\xaa", "only a boot sector"),
        (b"data", "has no partition table"),
    ],
)
def test_disk_with_something_else_says_so(booting: Booting, first_sector: bytes, said: str) -> None:
    with booting.home.disk(0).open("r+b") as disk:
        disk.write(first_sector)
    assert said in booting.fails(BootSource.DISK)


def test_disk_without_esp_says_so(booting: Booting) -> None:
    partition(booting.home.disk(0), DATA_KIND)
    assert "disk0.img has no EFI system partition" in booting.fails(BootSource.DISK)
