"""Which disk is written to, and by what rule when several fit.

Upstream falls back to ``/dev/sda``, which is another disk on another day. Here there is no hidden
hint. Where the hints, or none, fit several disks of a host that was inspected, the smallest one is
taken: it is the one put in for the system. The choice is pinned by what identifies the disk, and
stated in a condition.
"""

from __future__ import annotations

from typing import Final

from ingot.metal3.api.baremetalhost import HostSpec
from ingot.metal3.api.hardware import DiskType, Storage
from ingot.metal3.api.image import DiskFormat
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.turn import Turn
from ingot.metal3.node.rootdisk import SMALLEST, chosen_without_hints

__all__ = ["choose", "is_known_profile", "profile", "wanted_hints"]

GIB: Final = 1024**3
LISTED: Final = 8
"""Disks that a message names; a storage server has a hundred."""

PROFILES: Final[dict[str, RootDeviceHints | None]] = {
    "unknown": None,  # upstream: /dev/sda
    "empty": None,
    "libvirt": RootDeviceHints(device_name="/dev/vda"),
    "openstack": RootDeviceHints(device_name="/dev/vdb"),
    "dell": RootDeviceHints(hctl="0:0:0:0"),
    "dell-raid": RootDeviceHints(hctl="0:2:0:0"),
}
"""What the old hardware profiles stand for, where somebody names one."""


def profile(spec: HostSpec) -> str:
    """Return the name of the host's profile."""
    return spec.hardware_profile or "unknown"


def is_known_profile(spec: HostSpec) -> bool:
    """Return whether there is such a profile."""
    return profile(spec) in PROFILES


def wanted_hints(spec: HostSpec) -> RootDeviceHints | None:
    """Return the hints that somebody has given, in one way or the other."""
    if spec.root_device_hints is not None:
        return spec.root_device_hints
    if spec.raid is not None and any(
        volume.root_volume for volume in spec.raid.software_raid_volumes or ()
    ):
        return None  # the volume is the root disk, whatever a profile says
    return PROFILES.get(profile(spec))


def choose(turn: Turn) -> RootDeviceHints | None:
    """Return the hints to deploy with, and state the choice if there was one."""
    hints = wanted_hints(turn.spec)
    image = turn.spec.image
    live = image is not None and image.format is DiskFormat.LIVE_ISO
    disks = turn.status.hardware.storage if turn.status.hardware else ()
    fitting = [disk for disk in disks if disk.size_bytes >= SMALLEST and fits(disk, hints)]
    disk = chosen_without_hints(fitting)
    pinned = identity(disk) if disk is not None else None
    several = len(fitting) > 1 and not live and not _is_software_raid(turn.spec)
    if disk is None or pinned is None or not several:
        turn.forget(Memory.ROOT_DISK_CHOSEN)
        return hints
    listed = ", ".join(
        f"{one.name} ({one.size_bytes / 1e9:.0f} GB)"
        for one in sorted(fitting, key=lambda one: (one.size_bytes, one.name))[:LISTED]
    )
    turn.remember(
        Memory.ROOT_DISK_CHOSEN,
        f"{len(fitting)} disks fit: {listed}; the smallest, {disk.name}, is written to; "
        "give rootDeviceHints for another",
        reason="Smallest",
    )
    return pinned


def fits(disk: Storage, hints: RootDeviceHints | None) -> bool:
    """Return whether a disk is one that the hints mean."""
    if hints is None:
        return True
    spins = disk.type is DiskType.HDD if disk.type is not None else disk.rotational
    return (
        (not hints.device_name or hints.device_name in (disk.name, *disk.alternate_names))
        and hints.model.lower() in disk.model.lower()
        and hints.vendor.lower() in disk.vendor.lower()
        and hints.min_size_gigabytes <= disk.size_bytes // GIB
        and (hints.rotational is None or hints.rotational == spins)
        and all(
            not getattr(hints, name) or getattr(hints, name) == getattr(disk, name)
            for name in ("hctl", "serial_number", "wwn", "wwn_with_extension",
                         "wwn_vendor_extension")
        )
    )  # fmt: skip


def identity(disk: Storage) -> RootDeviceHints | None:
    """Return hints that mean this disk and no other, by what stays the same over boots."""
    if disk.wwn_with_extension:
        return RootDeviceHints(wwn_with_extension=disk.wwn_with_extension)
    if disk.wwn:
        return RootDeviceHints(wwn=disk.wwn)
    if disk.serial_number:
        return RootDeviceHints(serial_number=disk.serial_number)
    if disk.name:
        return RootDeviceHints(device_name=disk.name)
    return None


def _is_software_raid(spec: HostSpec) -> bool:
    return spec.raid is not None and bool(spec.raid.software_raid_volumes)
