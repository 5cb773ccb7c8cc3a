"""BIOS attributes: what each can be, and when a change becomes so."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.lab.bmc.redfish.bios import Bios
from ingot.lab.bmc.redfish.biosattributes import ATTRIBUTES, registry_document
from ingot.lab.bmc.redfish.nvram import Nvram
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.lab.faults.book import FaultBook
from ingot.lab.hostchassis import HostChassis
from ingot.machine.model import BootMode
from tests.unit.lab.memory import ManualAgenda, MemoryDriver, host_plan


@pytest.fixture
def chassis(tmp_path: Path) -> HostChassis:
    faults = FaultBook(tmp_path / "faults.json")
    driver = MemoryDriver("master-0")
    return HostChassis(host_plan(), driver=driver, faults=faults, agenda=ManualAgenda())


@pytest.fixture
def bios(tmp_path: Path, chassis: HostChassis) -> Bios:
    return Bios(chassis, Nvram(tmp_path / "bmc.json"))


@pytest.mark.parametrize(
    ("name", "value", "possible"),
    [
        ("SriovEnable", "Enabled", True),
        ("SriovEnable", "enabled", False),
        ("SriovEnable", True, False),
        ("BootTimeout", 0, True),
        ("BootTimeout", 60, True),
        ("BootTimeout", 61, False),
        ("BootTimeout", -1, False),
        ("BootTimeout", "5", False),
        ("BootTimeout", False, False),
        ("QuietBoot", True, True),
        ("QuietBoot", 1, False),
        ("QuietBoot", "true", False),
        ("AssetTag", "", True),
        ("AssetTag", "x" * 63, True),
        ("AssetTag", "x" * 64, False),
        ("AssetTag", 5, False),
    ],
)
def test_an_attribute_takes_only_what_it_can_be(
    name: str, value: object, *, possible: bool
) -> None:
    assert ATTRIBUTES[name].takes(value) is possible


def test_every_default_is_possible() -> None:
    assert all(one.takes(one.default) for one in ATTRIBUTES.values())


def test_the_registry_has_every_attribute_once() -> None:
    entries = registry_document("/x")["RegistryEntries"]
    assert isinstance(entries, dict)
    names = [one["AttributeName"] for one in entries["Attributes"]]
    assert names == list(ATTRIBUTES)


def test_nothing_changes_before_the_host_starts(bios: Bios) -> None:
    bios.ask({"AssetTag": "a"})
    bios.ask({"BootTimeout": 5})
    assert bios.attributes()["AssetTag"] == ""
    assert bios.pending() == {"AssetTag": "a", "BootTimeout": 5}
    bios.started()
    assert bios.attributes()["AssetTag"] == "a"
    assert bios.pending() == {}


def test_one_wrong_setting_refuses_all(bios: Bios) -> None:
    with pytest.raises(Refused):
        bios.ask({"AssetTag": "a", "NumCores": 8})
    assert bios.pending() == {}


def test_the_factorys_settings_take_back_what_was_asked_for(bios: Bios) -> None:
    bios.ask({"AssetTag": "a"})
    bios.started()
    bios.ask({"AssetTag": "b"})
    bios.ask_factory()
    bios.started()
    assert bios.attributes()["AssetTag"] == ""


def test_the_boot_mode_is_the_hosts_own_whoever_sets_it(bios: Bios, chassis: HostChassis) -> None:
    assert bios.attributes()["BootMode"] == "LegacyBios"
    bios.ask({"BootMode": "Uefi"})
    bios.started()
    assert chassis.boot_settings().mode is BootMode.UEFI
    chassis.set_boot_mode(BootMode.LEGACY)
    assert bios.attributes()["BootMode"] == "LegacyBios"
