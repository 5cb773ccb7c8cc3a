"""Which disk the image goes to: hints in Ironic's words, and what happens without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingot.ironic.document import Json
from ingot.metal3.api.hardware import Storage
from ingot.metal3.api.rootdevice import RootDeviceHints

__all__ = ["SMALLEST", "chosen_without_hints", "hinted"]

SMALLEST: Final = 4 * 2**30
"""The agent takes no disk below 4 GiB for an image."""

_BY_PATH: Final = "/dev/disk/by-path/"


def hinted(hints: RootDeviceHints) -> dict[str, Json]:
    """Return hints with the operators by which the agent compares them."""
    said: dict[str, Json] = {}
    if hints.device_name:
        key = "by_path" if hints.device_name.startswith(_BY_PATH) else "name"
        said[key] = f"s== {hints.device_name}"
    exact = {
        "hctl": hints.hctl,
        "serial": hints.serial_number,
        "wwn": hints.wwn,
        "wwn_with_extension": hints.wwn_with_extension,
        "wwn_vendor_extension": hints.wwn_vendor_extension,
    }
    said |= {key: f"s== {value}" for key, value in exact.items() if value}
    within = {"model": hints.model, "vendor": hints.vendor}
    said |= {key: f"<in> {value}" for key, value in within.items() if value}
    if hints.min_size_gigabytes:
        said["size"] = f">= {hints.min_size_gigabytes}"
    if hints.rotational is not None:
        said["rotational"] = "true" if hints.rotational else "false"
    return said


def chosen_without_hints(disks: Sequence[Storage]) -> Storage | None:
    """Return the disk that an image is written to when nobody says which; None if none will do.

    The smallest that is large enough, and of equals the first by its kernel name. That is the
    agent's own rule; it is told here so that a host's status can say what will happen.
    """
    fit = [disk for disk in disks if disk.size_bytes >= SMALLEST]
    return min(fit, key=lambda disk: (disk.size_bytes, _kernel_name(disk)), default=None)


def _kernel_name(disk: Storage) -> str:
    if not disk.name.startswith("/dev/disk/"):
        return disk.name
    return next(
        (name for name in disk.alternate_names if not name.startswith("/dev/disk/")), disk.name
    )
