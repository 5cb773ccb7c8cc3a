"""RAID: from the volumes that a host should have to Ironic's target and the steps that make it.

A sort of volumes that is not mentioned stays as it is, with one exception: without any wish,
software RAID goes. It lies on the disks that the next image is written to.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.ironic.document import Json
from ingot.ironic.driving import Step
from ingot.metal3.api.raid import RAID, HardwareRaidVolume, SoftwareRaidVolume
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.node.rootdisk import hinted

__all__ = ["RaidError", "RaidPlan", "raid_plan"]

DELETE = Step(interface="raid", step="delete_configuration")
ERASE = Step(interface="deploy", step="erase_devices_metadata")
CREATE = Step(interface="raid", step="create_configuration")


class RaidError(ValueError):
    """A RAID that cannot be made; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class RaidPlan:
    """What makes the volumes.

    Attributes:
        software: whether the kernel makes them, or else a controller.
        target: in Ironic's words.
        steps: of cleaning, in order.
    """

    software: bool
    target: dict[str, Json]
    steps: tuple[Step, ...]


def raid_plan(
    wanted: RAID | None, now: RAID | None, *, hints: RootDeviceHints | None, controller: bool
) -> RaidPlan | None:
    """Return what makes the wanted volumes, or None if nothing is to be done.

    Args:
        wanted: the volumes that there should be.
        now: those that were made last.
        hints: where the image goes, if that is said.
        controller: whether RAID controllers can be driven through this BMC.

    Raises:
        RaidError: it cannot be done.
    """
    hard_now, soft_now = _volumes(now)
    hard, soft = _volumes(wanted)
    if soft is None and soft_now and (wanted is None or hard is None):
        soft = ()
    if hard and soft:
        raise RaidError(
            "spec.raid has hardwareRAIDVolumes and softwareRAIDVolumes: only one can be had;"
            " leave one out"
        )
    if soft and hard == () and hard_now:
        raise RaidError(
            "spec.raid removes hardware volumes and makes software volumes at once: first set"
            " hardwareRAIDVolumes to [] alone, and the other when the host is available again"
        )
    if soft is not None and soft != soft_now and (soft or soft_now or not hard):
        return _software(soft)
    if hard is not None and hard != hard_now and (hard or controller):
        return _hardware(hard, hints, controller=controller)
    return None


def _volumes(
    raid: RAID | None,
) -> tuple[tuple[HardwareRaidVolume, ...] | None, tuple[SoftwareRaidVolume, ...] | None]:
    if raid is None:
        return None, None
    return raid.hardware_raid_volumes, raid.software_raid_volumes


def _hardware(
    volumes: tuple[HardwareRaidVolume, ...], hints: RootDeviceHints | None, *, controller: bool
) -> RaidPlan:
    if not controller:
        raise RaidError(
            "spec.raid.hardwareRAIDVolumes needs a BMC that drives RAID controllers, and IPMI"
            " cannot: use a Redfish address, or softwareRAIDVolumes"
        )
    disks: list[Json] = [_hardware_disk(volume) for volume in volumes]
    if disks and hints is None and isinstance(disks[0], dict):
        disks[0]["is_root_volume"] = True
    return RaidPlan(
        software=False,
        target={"logical_disks": disks} if disks else {},
        steps=(DELETE, CREATE) if disks else (DELETE,),
    )


def _hardware_disk(volume: HardwareRaidVolume) -> dict[str, Json]:
    disk: dict[str, Json] = {
        "raid_level": volume.level.value,
        "size_gb": volume.size_gibibytes or "MAX",
    }
    if volume.name:
        disk["volume_name"] = volume.name
    if volume.rotational is not None:
        disk["disk_type"] = "hdd" if volume.rotational else "ssd"
    if volume.number_of_physical_disks:
        disk["number_of_physical_disks"] = volume.number_of_physical_disks
    if volume.controller:
        disk["controller"] = volume.controller
    if volume.physical_disks:
        disk["physical_disks"] = list(volume.physical_disks)
        disk.setdefault("number_of_physical_disks", len(volume.physical_disks))
    return disk


def _software(volumes: tuple[SoftwareRaidVolume, ...]) -> RaidPlan:
    disks: list[Json] = []
    some_root = any(volume.root_volume for volume in volumes)
    for place, volume in enumerate(volumes):
        disk: dict[str, Json] = {
            "controller": "software",
            "raid_level": volume.level.value,
            "size_gb": volume.size_gibibytes or "MAX",
        }
        if volume.root_volume or (place == 0 and not some_root):
            disk["is_root_volume"] = True
        if volume.physical_disks:
            disk["physical_disks"] = [hinted(disk_hints) for disk_hints in volume.physical_disks]
        disks.append(disk)
    return RaidPlan(
        software=True,
        target={"logical_disks": disks} if disks else {},
        steps=(DELETE, ERASE, CREATE) if disks else (DELETE, ERASE),
    )
