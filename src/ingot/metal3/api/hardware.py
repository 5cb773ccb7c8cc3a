"""What inspection found in a server: the content of HardwareData, and of a host's old status."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import (
    DOUBLE,
    INT32,
    INT64,
    OMIT_EMPTY,
    WIRE,
    Flag,
    Many,
    Text,
    Whole,
)
from ingot.metal3.api.wire import MAC_ANYWHERE

__all__ = [
    "BIOS",
    "CPU",
    "LLDP",
    "NIC",
    "VLAN",
    "DiskType",
    "HardwareDetails",
    "HardwareFirmware",
    "Storage",
    "SystemVendor",
]

VlanId = Annotated[int, Field(ge=0, le=4094), INT32, OMIT_EMPTY]


class DiskType(StrEnum):
    """How a disk keeps its data."""

    HDD = "HDD"
    SSD = "SSD"
    NVME = "NVME"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class SystemVendor:
    """Who made the server."""

    manufacturer: Text = ""
    """The maker's name."""

    product_name: Text = ""
    """The model."""

    serial_number: Text = ""
    """The server's serial number."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class BIOS:
    """The system firmware."""

    date: Text = ""
    """When this version was released."""

    vendor: Text = ""
    """Who made it."""

    version: Text = ""
    """Its version."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HardwareFirmware:
    """Firmware that was found."""

    bios: BIOS | None = None
    """The system firmware."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class VLAN:
    """A VLAN that the network card's port carries."""

    id: VlanId = 0
    """The VLAN's number."""

    name: Text = ""
    """The VLAN's name."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class LLDP:
    """The switch at the other end of the cable, as it announces itself."""

    switch_id: Annotated[Text, Field(alias="switchID")] = ""
    """The switch, usually by its MAC address."""

    port_id: Annotated[Text, Field(alias="portID")] = ""
    """The switch's port."""

    switch_system_name: Text = ""
    """What the switch calls itself."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class NIC:
    """A network card's port. One with addresses of both families is listed once for each."""

    name: Text = ""
    """The interface's name in the ramdisk."""

    model: Text = ""
    """The card's vendor and product ids."""

    mac: Annotated[str, MAC_ANYWHERE] | None = None
    """The port's MAC address."""

    ip: Text = ""
    """The address it had in the ramdisk."""

    speed_gbps: Whole = 0
    """The link's speed in gigabits a second."""

    vlans: Many[VLAN] = ()
    """The VLANs that it carries."""

    vlan_id: VlanId = 0
    """The untagged VLAN."""

    pxe: Flag = False
    """Whether the server booted from it."""

    lldp: LLDP | None = None
    """Where its cable ends."""

    pci_address: Text = ""
    """Where it is on the PCI bus."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Storage:
    """A disk."""

    name: Text = ""
    """The disk's device, by path where that is known: it stays the same over boots."""

    alternate_names: Many[str] = ()
    """Other names of the same device."""

    rotational: Flag = False
    """Whether it spins. Deprecated: see the type."""

    type: DiskType | None = None
    """How it keeps its data."""

    size_bytes: Annotated[Whole, INT64] = 0
    """Its size."""

    vendor: Text = ""
    """Who made it."""

    model: Text = ""
    """Its model."""

    serial_number: Text = ""
    """Its serial number."""

    wwn: Text = ""
    """Its world wide name."""

    wwn_vendor_extension: Text = ""
    """The vendor's part of the world wide name."""

    wwn_with_extension: Text = ""
    """The world wide name with the vendor's part."""

    hctl: Text = ""
    """Its SCSI address: host, channel, target, unit."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class CPU:
    """The processors."""

    arch: Text = ""
    """Their architecture."""

    model: Text = ""
    """Their model."""

    clock_megahertz: Annotated[float, DOUBLE, OMIT_EMPTY] = 0
    """Their clock."""

    flags: Many[str] = ()
    """What they can do, sorted."""

    count: Whole = 0
    """How many logical ones there are."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HardwareDetails:
    """Everything inspection found."""

    system_vendor: SystemVendor | None = None
    """Who made the server."""

    firmware: HardwareFirmware | None = None
    """Its firmware."""

    ram_mebibytes: Whole = 0
    """Its memory."""

    nics: Many[NIC] = ()
    """Its network cards, one entry for each port and address family."""

    storage: Many[Storage] = ()
    """Its disks."""

    cpu: CPU | None = None
    """Its processors."""

    hostname: Text = ""
    """What the ramdisk called the server."""
