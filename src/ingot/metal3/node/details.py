"""From the inventory of an inspection to what is told of a host's hardware.

Inventories come from agents of any age and from BMCs, so everything may be missing, null or of
another type. What cannot be read is left out; nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ingot.ironic.document import Json
from ingot.ironic.hardware import Inventory
from ingot.metal3.api.hardware import (
    BIOS,
    CPU,
    DiskType,
    HardwareDetails,
    HardwareFirmware,
    Storage,
    SystemVendor,
)
from ingot.metal3.node.cards import cards
from ingot.metal3.node.tolerant import objects, part, whole, word

__all__ = ["hardware_details"]

_MEGA: Final = 1_000_000
_HERTZ_ABOVE: Final = 100_000
"""No clock has so many megahertz: a larger number counts hertz."""


def hardware_details(found: Inventory) -> HardwareDetails:
    """Return what is told of the hardware."""
    inventory = found.inventory
    return HardwareDetails(
        system_vendor=_vendor(part(inventory, "system_vendor")),
        firmware=_firmware(part(part(inventory, "system_vendor"), "firmware")),
        ram_mebibytes=whole(part(inventory, "memory").get("physical_mb")),
        nics=cards(inventory, found.plugin_data),
        storage=tuple(_disks(inventory)),
        cpu=_cpu(part(inventory, "cpu")),
        hostname=word(inventory.get("hostname")),
    )


def _vendor(vendor: Mapping[str, Json]) -> SystemVendor:
    return SystemVendor(
        manufacturer=word(vendor.get("manufacturer")),
        product_name=word(vendor.get("product_name")),
        serial_number=word(vendor.get("serial_number")),
    )


def _firmware(firmware: Mapping[str, Json]) -> HardwareFirmware:
    return HardwareFirmware(
        bios=BIOS(
            date=word(firmware.get("build_date")),
            vendor=word(firmware.get("vendor")),
            version=word(firmware.get("version")),
        )
    )


def _cpu(cpu: Mapping[str, Json]) -> CPU:
    flags = cpu.get("flags")
    return CPU(
        arch=word(cpu.get("architecture")),
        model=word(cpu.get("model_name")),
        clock_megahertz=_megahertz(cpu.get("frequency")),
        flags=tuple(sorted(map(word, flags))) if isinstance(flags, list) else (),
        count=whole(cpu.get("count")),
    )


def _megahertz(frequency: Json) -> float:
    """Return a clock in whole megahertz; agents say megahertz as a text, some BMCs hertz."""
    try:
        clock = float(word(frequency) or 0)
    except ValueError:
        return 0
    if not 0 <= clock < float("inf"):
        return 0
    return float(round(clock / _MEGA if clock > _HERTZ_ABOVE else clock))


def _disks(inventory: Mapping[str, Json]) -> Iterator[Storage]:
    for disk in objects(inventory.get("disks")):
        kernel, path = word(disk.get("name")), word(disk.get("by_path"))
        rotational = disk.get("rotational") is True
        yield Storage(
            name=path or kernel,
            alternate_names=(kernel,) if path and kernel else (),
            rotational=rotational,
            type=_type(kernel, rotational=rotational),
            size_bytes=whole(disk.get("size")),
            vendor=word(disk.get("vendor")),
            model=word(disk.get("model")),
            serial_number=word(disk.get("serial")),
            wwn=word(disk.get("wwn")),
            wwn_vendor_extension=word(disk.get("wwn_vendor_extension")),
            wwn_with_extension=word(disk.get("wwn_with_extension")),
            hctl=word(disk.get("hctl")),
        )


def _type(kernel: str, *, rotational: bool) -> DiskType:
    if kernel.startswith("/dev/nvme"):
        return DiskType.NVME
    return DiskType.HDD if rotational else DiskType.SSD
