"""The folder of a machine keeps what driver and firmware tell each other, whole at any moment."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.machine.home import (
    SOFT_OFF_SECONDS,
    Home,
    Parts,
    media_unit,
    soft_off_is_due,
    uml_dir,
)
from ingot.machine.model import (
    BootMode,
    BootSettings,
    BootSource,
    Disk,
    MacAddress,
    MachineSpec,
    Nic,
)

SPEC = MachineSpec(
    name="host-0",
    uuid="9f0b7b5e-8d0c-4b55-9a3b-0d3c5f3c8f10",
    memory_mib=2048,
    cpus=2,
    disks=(
        Disk(size_bytes=1 << 30, serial="S0", wwn="0x1", image=Path("/images/disk.img")),
        Disk(size_bytes=1 << 31, serial="S1", wwn="0x2"),
    ),
    nics=(Nic(mac=MacAddress("52:54:00:00:00:01"), bridge="lan", port="h0p"),),
    drives=(Path("/images/config.iso"),),
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_spec_is_read_as_it_was_written(home: Home) -> None:
    assert not home.exists
    home.set_spec(SPEC)
    assert home.exists
    assert home.spec() == SPEC


def test_draft_does_not_make_a_machine(home: Home) -> None:
    assert home.draft() is None
    home.set_draft(SPEC)
    assert home.draft() == SPEC
    assert not home.exists
    home.forget_draft()
    assert home.draft() is None
    home.forget_draft()


@pytest.mark.parametrize("shim", [None, Path("/lib/shim.so")])
def test_parts_are_read_as_they_were_written(home: Home, shim: Path | None) -> None:
    parts = Parts(kernel=Path("/kernel"), shim=shim, namespace="lab-host-0")
    home.set_parts(parts)
    assert home.parts() == parts


def test_settings_that_nobody_made_are_the_defaults(home: Home) -> None:
    assert home.boot_settings() == BootSettings()


def test_one_time_boot_device_is_taken_once(home: Home) -> None:
    told = BootSettings(
        order=(BootSource.NETWORK,),
        once=BootSource.MEDIA,
        mode=BootMode.UEFI,
        secure_boot=True,
        media=Path("/media/disc.iso"),
    )
    assert home.change_boot_settings(lambda _: told) == (BootSettings(), told)
    assert home.take_boot_settings() == told
    assert home.take_boot_settings() == replace(told, once=None)
    assert home.boot_settings() == replace(told, once=None)


def test_changes_made_at_once_are_all_kept(home: Home) -> None:
    def add(_: int) -> None:
        home.change_boot_settings(lambda was: replace(was, order=(*was.order, BootSource.DISK)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(50)))
    assert len(home.boot_settings().order) == len(BootSettings().order) + 50


def test_activity_names_the_source(home: Home) -> None:
    assert home.activity() == ""
    home.set_activity("waiting for an address", BootSource.NETWORK)
    assert home.activity() == "network: waiting for an address"
    home.set_activity("no bootable device")
    assert home.activity() == "no bootable device"


def test_firmware_can_be_run(home: Home) -> None:
    home.set_firmware("#!/bin/sh\n")
    assert os.access(home.firmware, os.X_OK)


def test_nothing_half_written_is_left(home: Home) -> None:
    home.set_spec(SPEC)
    home.set_firmware("#!/bin/sh\n")
    assert sorted(path.name for path in home.path.iterdir()) == ["firmware", "spec.json"]


def test_virtual_drive_comes_after_all_other_drives() -> None:
    assert media_unit(SPEC) == 3


@pytest.mark.parametrize(
    ("age", "due"),
    [
        (0, True),
        (SOFT_OFF_SECONDS - 5, True),
        (SOFT_OFF_SECONDS + 5, False),
        (-SOFT_OFF_SECONDS - 5, False),
    ],
)
def test_press_of_the_power_button_counts_for_a_while(home: Home, age: float, due: bool) -> None:  # noqa: FBT001 - a column of the table
    home.soft_off.touch()
    then = time.time() - age
    os.utime(home.soft_off, (then, then))
    assert soft_off_is_due(home) is due


def test_power_button_that_was_not_pressed_does_not_count(home: Home) -> None:
    assert not soft_off_is_due(home)


def test_socket_path_is_short_enough_wherever_the_folder_is() -> None:
    longest = Home(Path("/var") / ("x" * 200) / ("y" * 63))
    assert len(os.fsencode(longest.mconsole)) < 108


def test_two_machines_of_one_name_do_not_share_a_socket(tmp_path: Path) -> None:
    assert uml_dir(Home(tmp_path / "a/host")) != uml_dir(Home(tmp_path / "b/host"))


def test_machine_is_held_by_one_at_a_time(home: Home) -> None:
    inside: list[int] = []
    most: list[int] = []

    def hold(number: int) -> None:
        with home.held():
            inside.append(number)
            (home.path / "touched").touch()  # Others have their turn while the kernel is busy.
            most.append(len(inside))
            inside.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hold, range(200)))
    assert max(most) == 1


def test_folder_that_is_gone_cannot_be_held(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), Home(tmp_path / "gone").held():
        pass
