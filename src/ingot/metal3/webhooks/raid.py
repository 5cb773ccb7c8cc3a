"""RAID volumes that fit together, and fit the root disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.raid import HardwareRaidVolume, SoftwareRaidLevel, SoftwareRaidVolume
from ingot.metal3.webhooks.finding import Finding

__all__ = [
    "disk_count_is_right",
    "disks_have_their_controller",
    "one_kind_of_raid",
    "one_root_volume",
    "root_volume_is_mirrored",
    "root_volume_stands_alone",
]

HARDWARE: Final = "spec.raid.hardwareRAIDVolumes"
SOFTWARE: Final = "spec.raid.softwareRAIDVolumes"


def one_kind_of_raid(host: BareMetalHost) -> Iterator[Finding]:
    """Row 4: not hardware and software RAID together."""
    if _hardware(host) and _software(host):
        yield Finding(
            HARDWARE, "are given together with softwareRAIDVolumes", "keep one of the two lists"
        )


def disks_have_their_controller(host: BareMetalHost) -> Iterator[Finding]:
    """Row 5: a hardware volume that names its disks names their controller too."""
    for index, volume in enumerate(_hardware(host)):
        if volume.physical_disks and not volume.controller:
            yield Finding(
                f"{HARDWARE}[{index}].controller",
                "is missing, and physicalDisks are names that a controller gives",
                "name the controller, or leave physicalDisks out",
            )


def disk_count_is_right(host: BareMetalHost) -> Iterator[Finding]:
    """Row 6: numberOfPhysicalDisks is the number of the disks that are named."""
    for index, volume in enumerate(_hardware(host)):
        wanted, named = volume.number_of_physical_disks, len(volume.physical_disks)
        if named and wanted is not None and wanted != named:
            yield Finding(
                f"{HARDWARE}[{index}].numberOfPhysicalDisks",
                f"is {wanted}, but {named} physicalDisks are named",
                f"set {named}, or leave it out",
            )


def one_root_volume(host: BareMetalHost) -> Iterator[Finding]:
    """Row 7: at most one volume is the root volume."""
    for index, _ in _root_volumes(host)[1:]:
        yield Finding(
            f"{SOFTWARE}[{index}].rootVolume", "is a second root volume", "set it on one volume"
        )


def root_volume_stands_alone(host: BareMetalHost) -> Iterator[Finding]:
    """Row 8: a root volume is not given together with root device hints."""
    roots = _root_volumes(host)
    if roots and host.spec.root_device_hints is not None:
        yield Finding(
            "spec.rootDeviceHints",
            f"are given although {SOFTWARE}[{roots[0][0]}] is the root volume",
            "keep one of the two",
        )


def root_volume_is_mirrored(host: BareMetalHost) -> Iterator[Finding]:
    """Row 9: the root volume is of RAID level 1."""
    for index, volume in _root_volumes(host):
        if volume.level is not SoftwareRaidLevel.MIRROR:
            yield Finding(
                f"{SOFTWARE}[{index}].level",
                f"is {volume.level}, and firmware boots from a mirror only",
                "set level 1, or make another volume the root volume",
            )


def _hardware(host: BareMetalHost) -> tuple[HardwareRaidVolume, ...]:
    return (host.spec.raid.hardware_raid_volumes or ()) if host.spec.raid else ()


def _software(host: BareMetalHost) -> tuple[SoftwareRaidVolume, ...]:
    return (host.spec.raid.software_raid_volumes or ()) if host.spec.raid else ()


def _root_volumes(host: BareMetalHost) -> list[tuple[int, SoftwareRaidVolume]]:
    return [(at, volume) for at, volume in enumerate(_software(host)) if volume.root_volume]
