"""What a host is made of, in the shapes that the emulator and Redfish want."""

from __future__ import annotations

from typing import Final

from ingot.lab.plan import DiskPlan, HostPlan

__all__ = [
    "BMC_VERSION",
    "CONTROLLER",
    "MANUFACTURER",
    "MODEL",
    "SKU",
    "bmc_mac",
    "controller",
    "drive_document",
    "drives",
    "memory_gib",
    "nics",
    "processors",
    "simple_storage",
]

MANUFACTURER: Final = "Ingot"
MODEL: Final = "Lab Server"
SKU: Final = "ingot-lab-1"
BMC_VERSION: Final = "1.0.0"
CONTROLLER: Final = "1"
"""The identity of the one storage controller."""

_GIB: Final = 1024**3


def memory_gib(plan: HostPlan) -> float:
    """Return how much memory there is, as a whole number where it is one."""
    whole, rest = divmod(plan.memory_mib, 1024)
    return plan.memory_mib / 1024 if rest else whole


def nics(plan: HostPlan) -> list[dict[str, str]]:
    """Return the network cards, in their order."""
    return [{"id": f"NIC.{number}", "mac": nic.mac} for number, nic in enumerate(plan.nics, 1)]


def processors(plan: HostPlan) -> list[dict[str, object]]:
    """Return one socket with all cores."""
    socket: dict[str, object] = {
        "id": "CPU",  # by this name it is in the emulator's thermal readings
        "Id": "CPU",
        "socket": "CPU",
        "vendor": MANUFACTURER,
        "model": "Lab Processor",
        "cores": plan.cpus,
        "threads": plan.cpus,
    }
    return [socket]


def controller(plan: HostPlan) -> dict[str, object]:
    """Return the storage controller."""
    return {
        "Id": CONTROLLER,
        "Name": "Storage controller",
        "StorageControllers": [{"MemberId": "0", "Name": "SATA controller", "SpeedGbps": 6}],
        "Drives": [str(number) for number in range(1, len(plan.disks) + 1)],
    }


def drives(plan: HostPlan) -> list[dict[str, object]]:
    """Return the disks."""
    return [
        {
            "Id": str(number),
            "Name": f"Disk {number}",
            "CapacityBytes": disk.size_gib * _GIB,
            "Protocol": "SATA",
        }
        for number, disk in enumerate(plan.disks, 1)
    ]


def simple_storage(plan: HostPlan) -> dict[str, dict[str, object]]:
    """Return the controller the way older clients read it."""
    devices = [
        {"Name": f"Disk {number}", "CapacityBytes": disk.size_gib * _GIB}
        for number, disk in enumerate(plan.disks, 1)
    ]
    return {CONTROLLER: {"Id": CONTROLLER, "Name": "SATA", "DeviceList": devices}}


def drive_document(disk: DiskPlan) -> dict[str, object]:
    """Return what tells a disk from others."""
    return {
        "Manufacturer": MANUFACTURER,
        "Model": "Lab Disk",
        "SerialNumber": disk.serial,
        "MediaType": "SSD",
        "Identifiers": [
            {"DurableName": disk.wwn.removeprefix("0x").upper(), "DurableNameFormat": "NAA"}
        ],
    }


def bmc_mac(plan: HostPlan) -> str:
    """Return the address of the BMC's own card: one of nobody's, made of its IP address."""
    return "02:bc:" + ":".join(f"{byte:02x}" for byte in plan.bmc.address.packed)
