from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from ingot.machine.libvirt.domain import boot_devices, bootable
from ingot.machine.libvirt.record import Record
from ingot.machine.libvirt.virsh import read_xml
from ingot.machine.model import BootMode, BootSettings, BootSource
from tests.unit.machine.libvirt.machines import ACCELERATED, SPEC, UEFI, domain, record


def xml(told: Record) -> ET.Element:
    return read_xml(domain(told).xml())


def device(root: ET.Element, alias: str) -> ET.Element:
    (found,) = (
        one
        for one in root.iterfind("devices/*")
        if (name := one.find("alias")) is not None and name.get("name") == alias
    )
    return found


def attribute(root: ET.Element, path: str, name: str) -> str | None:
    found = root.find(path)
    return None if found is None else found.get(name)


def order(root: ET.Element) -> list[str]:
    """Return the devices that boot, in their order."""
    numbered = {
        int(boot.get("order", "")): alias.get("name", "")
        for one in root.iterfind("devices/*")
        if (boot := one.find("boot")) is not None and (alias := one.find("alias")) is not None
    }
    return [numbered[number] for number in sorted(numbered)]


def test_domain_is_named_after_its_owner_and_its_machine() -> None:
    root = xml(record())
    assert root.findtext("name") == "lab-a-node-1"
    assert root.findtext("uuid") == SPEC.uuid
    assert root.findtext("memory") == "2048"
    assert root.findtext("vcpu") == "2"


def test_emulated_machine_has_every_feature_that_qemu_can_emulate() -> None:
    root = xml(record())
    assert root.get("type") == "qemu"
    assert attribute(root, "cpu", "mode") == "maximum"


def test_accelerated_machine_has_the_processor_of_its_host() -> None:
    root = xml(record(platform=ACCELERATED))
    assert root.get("type") == "kvm"
    assert attribute(root, "cpu", "mode") == "host-passthrough"


def test_uefi_variables_are_a_file_of_the_machine() -> None:
    root = xml(record())
    assert attribute(root, "os", "firmware") == "efi"
    assert root.findtext("os/nvram") == "/pool/node-1.nvram"


@pytest.mark.parametrize(("secure", "word"), [(True, "yes"), (False, "no")])
def test_secure_boot_has_its_keys_and_variables_of_its_own(secure: bool, word: str) -> None:  # noqa: FBT001 - a parameter of the test
    root = xml(record(replace(UEFI, secure_boot=secure)))
    features = {one.get("name"): one.get("enabled") for one in root.iterfind("os/firmware/feature")}
    assert features == {"enrolled-keys": word, "secure-boot": word}
    assert (root.findtext("os/nvram") == "/pool/node-1.secure-nvram") is secure


def test_legacy_firmware_speaks_on_the_serial_console_and_has_no_variables() -> None:
    root = xml(record(BootSettings(mode=BootMode.LEGACY)))
    assert attribute(root, "os", "firmware") is None
    assert root.find("os/nvram") is None
    assert attribute(root, "os/bios", "useserial") == "yes"


def test_disks_tell_their_serial_number_and_world_wide_name() -> None:
    second = device(xml(record()), "ua-disk1")
    assert second.findtext("serial") == "DISK-2"
    assert second.findtext("wwn") == "5000c50000000002"
    assert attribute(second, "source", "file") == "/pool/node-1.disk1"
    assert attribute(second, "target", "dev") == "sdb"


def test_cards_are_plugged_into_their_bridges_by_named_ports() -> None:
    second = device(xml(record()), "ua-card1")
    assert attribute(second, "mac", "address") == "52:54:00:00:00:02"
    assert attribute(second, "source", "bridge") == "baremetal"
    assert attribute(second, "target", "dev") == "n1-1"


def test_virtual_drive_is_there_without_a_medium() -> None:
    drive = device(xml(record()), "ua-medium")
    assert drive.get("device") == "cdrom"
    assert drive.find("source") is None
    assert attribute(drive, "target", "dev") == domain(record()).medium_target == "sdc"


def test_medium_is_a_volume_in_the_virtual_drive() -> None:
    drive = device(xml(record(medium="node-1.medium-1")), "ua-medium")
    assert attribute(drive, "source", "file") == "/pool/node-1.medium-1"


def test_drives_come_after_the_virtual_drive() -> None:
    drive = device(xml(record()), "ua-drive0")
    assert attribute(drive, "source", "file") == "/pool/node-1.drive0"
    assert attribute(drive, "target", "dev") == "sdd"
    assert attribute(drive, "address", "unit") == "1"


def test_the_seventh_optical_drive_is_on_a_second_controller() -> None:
    many = replace(SPEC, drives=SPEC.drives * 6)
    last = device(xml(replace(record(), spec=many)), "ua-drive5")
    assert attribute(last, "address", "controller") == "1"
    assert attribute(last, "address", "unit") == "0"


def test_the_twenty_seventh_disk_has_two_letters() -> None:
    many = replace(SPEC, disks=SPEC.disks[:1] * 28)
    root = xml(replace(record(), spec=many))
    assert attribute(device(root, "ua-disk25"), "target", "dev") == "sdz"
    assert attribute(device(root, "ua-disk27"), "target", "dev") == "sdab"


def test_console_goes_to_a_file_of_the_machine_and_is_never_begun_anew() -> None:
    log = xml(record()).find("devices/serial/log")
    assert log is not None
    assert log.attrib == {"file": "/pool/node-1.console.log", "append": "on"}


@pytest.mark.parametrize(
    ("boot", "devices"),
    [
        (UEFI, ["ua-disk0", "ua-card0"]),
        (replace(UEFI, order=(BootSource.NETWORK,)), ["ua-card0"]),
        (replace(UEFI, order=(BootSource.MEDIA, BootSource.DISK)), ["ua-medium", "ua-disk0"]),
        (replace(UEFI, order=(BootSource.DISK, BootSource.DISK)), ["ua-disk0"]),
        (replace(UEFI, order=()), []),
        (replace(UEFI, once=BootSource.MEDIA), ["ua-medium"]),
        (replace(UEFI, order=(BootSource.DISK,), once=BootSource.NETWORK), ["ua-card0"]),
    ],
)
def test_boot_order_is_that_of_the_next_start(boot: BootSettings, devices: list[str]) -> None:
    assert order(xml(record(boot))) == devices
    assert list(boot_devices(record(boot))) == devices


def test_machine_without_disks_or_cards_boots_from_neither() -> None:
    bare = replace(SPEC, disks=(), nics=())
    assert set(bootable(bare)) == {BootSource.MEDIA}
    assert boot_devices(replace(record(), spec=bare)) == ()


def test_what_a_crash_or_a_reboot_does_is_said() -> None:
    root = xml(record())
    assert root.findtext("on_reboot") == "restart"
    assert root.findtext("on_crash") == "destroy"
    assert attribute(root, "devices/watchdog", "action") == "none"


def test_names_with_markup_stay_names() -> None:
    disk = replace(SPEC.disks[0], serial="<&'\">")
    root = xml(replace(record(), spec=replace(SPEC, disks=(disk,))))
    assert device(root, "ua-disk0").findtext("serial") == "<&'\">"
