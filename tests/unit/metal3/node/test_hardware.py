"""What an inspection found, as the API tells it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.ironic.hardware import BiosSetting, FirmwareComponent, Inventory
from ingot.metal3.api.firmwareschema import AttributeType, SettingSchema
from ingot.metal3.api.hardware import (
    BIOS,
    CPU,
    LLDP,
    NIC,
    VLAN,
    DiskType,
    HardwareDetails,
    HardwareFirmware,
    Storage,
    SystemVendor,
)
from ingot.metal3.api.hostfirmwarecomponents import ComponentStatus
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.node.details import hardware_details
from ingot.metal3.node.firmware import bios_schema, bios_values, components
from ingot.metal3.node.rootdisk import chosen_without_hints, hinted

GIB = 2**30
BY_PATH = "/dev/disk/by-path/pci-0000:00:17.0-ata-1"
INVENTORY: dict[str, Any] = {
    "hostname": "worker-0",
    "system_vendor": {
        "manufacturer": "Maker",
        "product_name": "Model 1",
        "serial_number": "S1",
        "firmware": {"vendor": "BIOS maker", "version": "1.2", "build_date": "01/02/2026"},
    },
    "memory": {"physical_mb": 65536, "total": 67000000000},
    "cpu": {
        "architecture": "x86_64",
        "model_name": "Processor",
        "frequency": "2199.998",
        "count": 8,
        "flags": ["sse", "aes"],
    },
    "boot": {"current_boot_mode": "uefi", "pxe_interface": "01-52-54-00-00-00-01"},
    "interfaces": [
        {
            "name": "eno1",
            "mac_address": "52:54:00:00:00:01",
            "ipv4_address": "10.0.0.20",
            "ipv6_address": "fe80::1%eno1",
            "vendor": "0x8086",
            "product": "0x1572",
            "speed_mbps": 25000,
            "pci_address": "0000:02:00.0",
            "has_carrier": True,
        },
        {"name": "eno2", "mac_address": "52:54:00:00:00:02", "speed_mbps": None},
        {"name": "bond", "mac_address": None},
    ],
    "disks": [
        {
            "name": "/dev/sda",
            "by_path": BY_PATH,
            "model": "Disk",
            "size": 960 * 10**9,
            "rotational": True,
            "serial": "D1",
            "wwn": "0x1",
            "wwn_with_extension": "0x12",
            "wwn_vendor_extension": "0x2",
            "vendor": "ATA",
            "hctl": "0:0:0:0",
        },
        {"name": "/dev/nvme0n1", "by_path": None, "size": "480000000000", "rotational": False},
    ],
}
PLUGIN_DATA: dict[str, Any] = {
    "all_interfaces": {"eno1": {"pxe_enabled": True}, "eno2": {"pxe_enabled": False}},
    "parsed_lldp": {
        "eno1": {
            "switch_chassis_id": "aa:bb:cc:dd:ee:ff",
            "switch_port_id": "Ethernet1/1",
            "switch_system_name": "leaf-1",
            "switch_port_untagged_vlan_id": 101,
            "switch_port_vlans": [{"id": 102, "name": "storage"}, {"id": 9999}],
        }
    },
}


def card(address: str) -> NIC:
    return NIC(
        name="eno1",
        model="0x8086 0x1572",
        mac="52:54:00:00:00:01",
        ip=address,
        speed_gbps=25,
        vlans=(VLAN(id=102, name="storage"),),
        vlan_id=101,
        pxe=True,
        lldp=LLDP(
            switch_id="aa:bb:cc:dd:ee:ff", port_id="Ethernet1/1", switch_system_name="leaf-1"
        ),
        pci_address="0000:02:00.0",
    )


def test_an_inventory_is_told_in_full() -> None:
    assert hardware_details(Inventory(INVENTORY, PLUGIN_DATA)) == HardwareDetails(
        system_vendor=SystemVendor(
            manufacturer="Maker", product_name="Model 1", serial_number="S1"
        ),
        firmware=HardwareFirmware(bios=BIOS(date="01/02/2026", vendor="BIOS maker", version="1.2")),
        ram_mebibytes=65536,
        nics=(
            card("10.0.0.20"),  # a card is told once for each address family
            card("fe80::1"),
            NIC(name="eno2", mac="52:54:00:00:00:02"),
        ),
        storage=(
            Storage(
                name=BY_PATH,
                alternate_names=("/dev/sda",),
                rotational=True,
                type=DiskType.HDD,
                size_bytes=960 * 10**9,
                vendor="ATA",
                model="Disk",
                serial_number="D1",
                wwn="0x1",
                wwn_vendor_extension="0x2",
                wwn_with_extension="0x12",
                hctl="0:0:0:0",
            ),
            Storage(name="/dev/nvme0n1", type=DiskType.NVME, size_bytes=480 * 10**9),
        ),
        cpu=CPU(
            arch="x86_64",
            model="Processor",
            clock_megahertz=2200,
            flags=("aes", "sse"),
            count=8,
        ),
        hostname="worker-0",
    )


def test_the_card_that_booted_is_known_without_ironics_own_findings() -> None:
    details = hardware_details(Inventory(INVENTORY, {}))
    assert [nic.pxe for nic in details.nics] == [True, True, False]


@pytest.mark.parametrize(
    ("frequency", "megahertz"),
    [("2199.998", 2200), (3100, 3100), ("3100000000", 3100), ("fast", 0), (None, 0), ("nan", 0)],
)
def test_a_clock_is_told_in_whole_megahertz(frequency: Any, megahertz: float) -> None:  # noqa: ANN401
    details = hardware_details(Inventory({"cpu": {"frequency": frequency}}, {}))
    assert details.cpu is not None
    assert details.cpu.clock_megahertz == megahertz


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "size", "mac_address", "speed_mbps", "id", "flags", "firmware", "eno1"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(
    inventory=st.dictionaries(st.sampled_from(list(INVENTORY)), json),
    plugin_data=st.dictionaries(st.sampled_from(list(PLUGIN_DATA)), json),
)
def test_no_inventory_is_so_odd_that_a_host_gets_stuck(inventory: Any, plugin_data: Any) -> None:  # noqa: ANN401
    details = hardware_details(Inventory(inventory, plugin_data))
    numbers = [details.ram_mebibytes, *(disk.size_bytes for disk in details.storage)]
    assert all(0 <= number < 2**63 for number in numbers)  # or the API server refuses them


def disk(name: str, size: int, *others: str) -> Storage:
    return Storage(name=name, size_bytes=size, alternate_names=others)


CHOICES: dict[str, tuple[list[Storage], str | None]] = {
    "the smallest": ([disk("/dev/sda", 200 * GIB), disk("/dev/sdb", 100 * GIB)], "/dev/sdb"),
    "not one too small": ([disk("/dev/sda", 2 * GIB), disk("/dev/sdb", 100 * GIB)], "/dev/sdb"),
    "of equals the first": (
        [disk("/dev/sdb", 100 * GIB), disk("/dev/sda", 100 * GIB)], "/dev/sda",
    ),
    "of equals the first by its kernel name": (
        [disk("/dev/disk/by-path/a", 9 * GIB, "/dev/sdb"),
         disk("/dev/disk/by-path/b", 9 * GIB, "/dev/sda")],
        "/dev/disk/by-path/b",
    ),
    "none fits": ([disk("/dev/sda", GIB)], None),
    "no disk": ([], None),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_without_hints_it_is_told_which_disk_is_taken(name: str) -> None:
    disks, expected = CHOICES[name]
    chosen = chosen_without_hints(disks)
    assert (chosen.name if chosen else None) == expected


HINTS: dict[str, tuple[RootDeviceHints, dict[str, str]]] = {
    "a device": (RootDeviceHints(device_name="/dev/vda"), {"name": "s== /dev/vda"}),
    "a path": (RootDeviceHints(device_name=BY_PATH), {"by_path": f"s== {BY_PATH}"}),
    "a place": (RootDeviceHints(hctl="0:0:0:0"), {"hctl": "s== 0:0:0:0"}),
    "a serial number": (RootDeviceHints(serial_number="D1"), {"serial": "s== D1"}),
    "a part of the model": (RootDeviceHints(model="Disk"), {"model": "<in> Disk"}),
    "a part of the maker": (RootDeviceHints(vendor="ATA"), {"vendor": "<in> ATA"}),
    "a size": (RootDeviceHints(min_size_gigabytes=100), {"size": ">= 100"}),
    "a disk that spins": (RootDeviceHints(rotational=True), {"rotational": "true"}),
    "one that does not": (RootDeviceHints(rotational=False), {"rotational": "false"}),
    "world wide names": (
        RootDeviceHints(wwn="1", wwn_with_extension="12", wwn_vendor_extension="2"),
        {"wwn": "s== 1", "wwn_with_extension": "s== 12", "wwn_vendor_extension": "s== 2"},
    ),
    "nothing": (RootDeviceHints(), {}),
}


@pytest.mark.parametrize("name", HINTS)
def test_hints_are_told_with_ironics_operators(name: str) -> None:
    hints, expected = HINTS[name]
    assert hinted(hints) == expected


SETTINGS = (
    BiosSetting(
        name="BootMode",
        value="Uefi",
        attribute_type="Enumeration",
        allowable_values=("Uefi", "Bios"),
        read_only=False,
    ),
    BiosSetting(name="SetupPassword", value="hidden", attribute_type="Password"),
    BiosSetting(name="AdminPassword", value="hidden"),
    BiosSetting(name="Cores", value="4", attribute_type="Integer", lower_bound=1, upper_bound=8),
    BiosSetting(name="Odd", value=None, attribute_type="Oddity"),
)


def test_settings_have_their_values_but_passwords_are_not_shown() -> None:
    assert bios_values(SETTINGS) == {"BootMode": "Uefi", "Cores": "4"}


def test_settings_have_their_limits_as_far_as_they_are_understood() -> None:
    schema = bios_schema(SETTINGS)
    assert schema["BootMode"] == SettingSchema(
        attribute_type=AttributeType.ENUMERATION,
        allowable_values=("Uefi", "Bios"),
        read_only=False,
    )
    assert (schema["Cores"].lower_bound, schema["Cores"].upper_bound) == (1, 8)
    assert schema["Odd"] == SettingSchema()


def test_firmware_is_told_by_component() -> None:
    found = (
        FirmwareComponent(
            component="bmc",
            initial_version="1",
            current_version="2",
            last_version_flashed=None,
            updated_at="2026-01-02T03:04:05",
        ),
        FirmwareComponent(
            component="bios",
            initial_version=None,
            current_version=None,
            last_version_flashed=None,
            updated_at="yesterday",
        ),
    )
    assert components(found) == (
        ComponentStatus(component="bios", initial_version=""),
        ComponentStatus(
            component="bmc",
            initial_version="1",
            current_version="2",
            updated_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        ),
    )
