"""A machine boots from an ISO in its virtual drive, laid out as Ironic does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingot.machine.model import BootMode, BootSource
from tests.integration.machine.firmware.bootable import Files, disc
from tests.integration.machine.firmware.conftest import Booting
from tests.machines.tiny import Rack

ISOLINUX = """\
default boot

label boot
kernel /vmlinuz
append initrd=/initrd text root=/dev/ram0 answer=42 --
"""
GRUB = """\
set default=0
set timeout=5

menuentry "boot_partition" {
linux /vmlinuz text root=/dev/ram0 answer=42 --
initrd /initrd
}
"""
LOADERS = {"isolinux/isolinux.cfg": ISOLINUX, "EFI/BOOT/grub.cfg": GRUB}


@pytest.mark.parametrize("mode", list(BootMode))
def test_iso_boots_in_each_mode_and_is_visible_to_the_guest(
    booting: Booting, rack: Rack, ramdisk: Path, tmp_path: Path, mode: BootMode
) -> None:
    iso = disc(tmp_path, {"vmlinuz": rack.kernel, "initrd": ramdisk, **LOADERS})
    booting.tell(mode=mode, media=iso)
    console = booting.boots(BootSource.MEDIA)
    assert "text root=/dev/ram0 answer=42 " in console
    assert " -- " not in console
    assert f"ubd2r={iso}" in console


def test_grub_configuration_may_be_elsewhere(
    booting: Booting, rack: Rack, ramdisk: Path, tmp_path: Path
) -> None:
    files: Files = {"vmlinuz": rack.kernel, "initrd": ramdisk, "EFI/debian/grub.cfg": GRUB}
    booting.tell(mode=BootMode.UEFI, media=disc(tmp_path, files))
    assert "GRUB: /EFI/debian/grub.cfg" in booting.boots(BootSource.MEDIA)


def test_several_ramdisks_become_one(
    booting: Booting, rack: Rack, ramdisk: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "odd"
    odd.write_bytes(ramdisk.read_bytes() + b"\0")
    files: Files = {
        "vmlinuz": rack.kernel,
        "first": odd,
        "second": ramdisk,
        "isolinux/isolinux.cfg": ISOLINUX.replace("/initrd", "/first,/second"),
    }
    booting.tell(media=disc(tmp_path, files))
    booting.boots(BootSource.MEDIA)
    joined = (booting.home.path / "boot/initrd").stat().st_size
    assert joined == odd.stat().st_size + 3 + ramdisk.stat().st_size


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"readme": "nothing to boot"},
            "disc.iso has no ISOLINUX, so it cannot be booted in legacy",
        ),
        ({"EFI/BOOT/grub.cfg": GRUB}, "disc.iso has no ISOLINUX"),
        ({"isolinux/isolinux.cfg": ISOLINUX}, "disc.iso has no /vmlinuz"),
        ({"isolinux/isolinux.cfg": "default x\n"}, "isolinux.cfg names no kernel"),
        ({"isolinux/isolinux.cfg": ISOLINUX, "vmlinuz": "x"}, "/vmlinuz is of an unknown kind"),
    ],
)
def test_iso_that_does_not_boot_says_why(
    booting: Booting, tmp_path: Path, files: dict[str, str], said: str
) -> None:
    booting.tell(media=disc(tmp_path, files))
    assert said in booting.fails(BootSource.MEDIA)


def test_medium_that_is_no_iso_says_so(booting: Booting, tmp_path: Path) -> None:
    broken = tmp_path / "broken.iso"
    broken.write_bytes(b"half of it did not come" * 10_000)
    booting.tell(media=broken)
    assert "broken.iso is no ISO" in booting.fails(BootSource.MEDIA)


def test_medium_that_came_only_half_is_damaged(
    booting: Booting, rack: Rack, ramdisk: Path, tmp_path: Path
) -> None:
    iso = disc(tmp_path, {"vmlinuz": rack.kernel, "initrd": ramdisk, **LOADERS})
    os.truncate(iso, iso.stat().st_size // 2)
    booting.tell(media=iso)
    assert "disc.iso is damaged: cannot read /" in booting.fails(BootSource.MEDIA)


def test_medium_that_is_gone_says_so(booting: Booting, tmp_path: Path) -> None:
    booting.tell(media=tmp_path / "ejected.iso")
    assert "the medium ejected.iso is gone" in booting.fails(BootSource.MEDIA)


def test_no_medium_is_said(booting: Booting) -> None:
    assert "media: no medium is inserted" in booting.fails(BootSource.MEDIA)
