"""What can be wanted of a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ingot.ironic.driving import ConfigDrive
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.firmware import FirmwareConfig
from ingot.metal3.api.image import CustomDeploy, Image
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.rootdevice import RootDeviceHints

__all__ = [
    "Adopt",
    "Delete",
    "Deprovision",
    "Detach",
    "FirmwareUpdate",
    "Goal",
    "Inspect",
    "PowerOff",
    "PowerOn",
    "Prepare",
    "Provision",
    "Register",
    "Service",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """Ironic knows the server and has reached its BMC.

    Attributes:
        again: credentials or address changed, or the last try failed: try anew.
    """

    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspect:
    """The hardware is known.

    Attributes:
        again: forget a failed try, and start over.
        refresh: inspect although there is an inventory.
        forced_reboot: abort what waits for the agent, and start over.
    """

    mode: InspectionMode
    again: bool = False
    refresh: bool = False
    forced_reboot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwareUpdate:
    """One component and the image to put onto it."""

    component: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """RAID, BIOS settings and firmware are as wanted, by manual cleaning.

    Attributes:
        raid: as wanted; None keeps hardware RAID and removes software RAID.
        raid_now: as it was made last.
        root_hints: where a software RAID's first volume is meant for.
        bios: only the settings that differ.
        started: cleaning for exactly this has been started before.
        again: forget a failed try.
        forced_reboot: end the boot of a ramdisk that is waited for, and start over.
    """

    raid: RAID | None = None
    raid_now: RAID | None = None
    firmware: FirmwareConfig | None = None
    root_hints: RootDeviceHints | None = None
    bios: Mapping[str, str] = field(default_factory=dict)
    updates: tuple[FirmwareUpdate, ...] = ()
    started: bool = False
    again: bool = False
    forced_reboot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Provision:
    """The image is on the disk, and the server has booted from it.

    Attributes:
        image: what to write; None with a custom deploy that needs none.
        config_drive: what the image finds; None for a live ISO.
        forced_reboot: start the deployment over, or the cleaning before it.
    """

    instance_uuid: str
    image: Image | None = None
    custom_deploy: CustomDeploy | None = None
    config_drive: ConfigDrive | None = None
    root_hints: RootDeviceHints | None = None
    pull_secret: str | None = field(default=None, repr=False)
    forced_reboot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    """Ironic takes the server for deployed, without touching it.

    Attributes:
        image: what is on it, as far as known.
        again: forget a failed try.
    """

    instance_uuid: str
    image: Image | None = None
    custom_deploy: CustomDeploy | None = None
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprovision:
    """The image is gone, and the disks are clean if cleaning is on.

    Attributes:
        again: forget a failed try.
        clean: whether disks are cleaned.
        forced_reboot: end the boot of a ramdisk that is waited for, and clean anew.
    """

    again: bool = False
    clean: bool = True
    forced_reboot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerOn:
    """The server is on.

    Attributes:
        force: although the last try failed.
    """

    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerOff:
    """The server is off; with `disablePowerOff`, it has rebooted instead.

    Attributes:
        hard: without asking what runs on it.
        force: although the last try failed.
        abort: end an inspection or a cleaning that waits for the agent.
        started: with `disablePowerOff`, the reboot in its place has been asked for.
    """

    hard: bool = False
    force: bool = False
    abort: bool = False
    started: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Firmware of a deployed server is as wanted.

    Attributes:
        bios: only the settings that differ.
        started: servicing for exactly this has been started before.
        again: forget a failed try.
        withdrawn: nothing is wanted any more: end what waits.
        forced_reboot: end the boot of a ramdisk that is waited for, and start over.
    """

    bios: Mapping[str, str] = field(default_factory=dict)
    updates: tuple[FirmwareUpdate, ...] = ()
    started: bool = False
    again: bool = False
    withdrawn: bool = False
    forced_reboot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Ironic does not know the server.

    Attributes:
        force: do not wait for what runs.
    """

    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Detach:
    """Ironic does not know the server, which goes on as it is."""

    force: bool = False


Goal = (
    Register
    | Inspect
    | Prepare
    | Provision
    | Adopt
    | Deprovision
    | PowerOn
    | PowerOff
    | Service
    | Delete
    | Detach
)
