"""What was seen of a host's world before deciding: Secrets, Ironic's node, firmware, the site.

Everything is a value that was read beforehand. The one function, `progress_of`, is pure too: it
applies `ingot.metal3.node`'s `advance` to the node that was read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Generic, TypeVar

from ingot.ironic.driving import ConfigDrive
from ingot.ironic.states import ProvisionState
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.node.goal import FirmwareUpdate, Goal
from ingot.metal3.node.progress import Progress

__all__ = [
    "IMAGE_AUTH",
    "BootSeen",
    "Credentials",
    "CredentialsGood",
    "CredentialsMissing",
    "CredentialsUnusable",
    "DataImageSeen",
    "DeployData",
    "DeployProblem",
    "Facts",
    "FirmwareSeen",
    "NodeSeen",
    "Observation",
    "RamdiskSeen",
    "RamdiskState",
    "Site",
]

CallT = TypeVar("CallT")

IMAGE_AUTH: Final = "imageAuth"
"""The kind of data that opens a registry."""


@dataclass(frozen=True, slots=True)
class CredentialsGood:
    """The BMC's Secret has a user name and a password.

    Attributes:
        version: the Secret's resource version.
    """

    version: str


@dataclass(frozen=True, slots=True)
class CredentialsMissing:
    """There is no such Secret."""


@dataclass(frozen=True, slots=True)
class CredentialsUnusable:
    """The Secret is there and does not have what it should."""

    reason: str


Credentials = CredentialsGood | CredentialsMissing | CredentialsUnusable


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSeen:
    """What the machine has to know of the host's node in Ironic.

    Attributes:
        id: its UUID.
        state: where it is in its life.
        since: since when it is there; None where Ironic does not say.
        powered_on: None while Ironic does not know.
        fault: why Ironic put it into maintenance.
        health: what the BMC says of the hardware, in Redfish's words.
    """

    id: str
    state: ProvisionState
    since: datetime | None = None
    powered_on: bool | None = None
    fault: str | None = None
    health: str | None = None


class RamdiskState(StrEnum):
    """Whether there is a ramdisk to boot."""

    READY = "ready"
    PENDING = "pending"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RamdiskSeen:
    """The PreprovisioningImage of the host; ready when none is needed.

    Attributes:
        version: changes when another ramdisk is to be booted, its network data included.
        why: what keeps it from being ready.
    """

    state: RamdiskState = RamdiskState.READY
    version: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwareSeen:
    """HostFirmwareSettings, HostFirmwareComponents and HostUpdatePolicy in one.

    Attributes:
        ready: both are there and their status is about their present spec.
        asked: their spec asks for anything at all, whether it is so already or not.
        settings: the BIOS settings that are asked for, valid and not as they should be.
        updates: the updates that are asked for, valid and not made.
        settings_on_reboot: the policy lets settings be changed at a reboot of a host in use.
        updates_on_reboot: likewise updates.
    """

    ready: bool = True
    asked: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    updates: tuple[FirmwareUpdate, ...] = ()
    settings_on_reboot: bool = False
    updates_on_reboot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DataImageSeen:
    """The DataImage of the host.

    Attributes:
        wanted: the URL to have in the drive; None for an empty drive.
        attached: the URL that is in it.
        failures: how often in a row it could not be changed.
    """

    wanted: str | None = None
    attached: str | None = None
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployProblem:
    """What a provisioning needs and cannot have.

    Attributes:
        kind: which data, as the metric names it: `userData`, `networkData`, `metaData`,
            `imageAuth`.
        why: what a person should know.
    """

    kind: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployData:
    """What the Secrets that spec names hold for a deployment."""

    config_drive: ConfigDrive | None = None
    pull_secret: str | None = field(default=None, repr=False)
    problem: DeployProblem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BootSeen:
    """How far the present boot of a ramdisk has come; each is the last time it was seen.

    Attributes:
        powered_on: when the server was turned on for it.
        dhcp: when its network card asked for an address.
        boot_file: when it fetched the boot loader.
        kernel: when it fetched the kernel.
        agent: when the agent called Ironic.
    """

    powered_on: datetime
    dhcp: datetime | None = None
    boot_file: datetime | None = None
    kernel: datetime | None = None
    agent: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """How busy the site is.

    Attributes:
        working: other servers that are inspected, provisioned or deprovisioned now, without those
            that have virtual media.
        working_here: this server is one of those, by its node's state.
        booting: other servers that boot a ramdisk over the network now.
        booting_here: this server boots one.
    """

    working: int = 0
    working_here: bool = False
    booting: int = 0
    booting_here: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that was seen, but how far each goal is.

    Attributes:
        credentials: the BMC's Secret.
        ironic_ready: Ironic answers and has drivers.
        node: None when Ironic does not know the host.
        inventory: what the last inspection found, if it was fetched.
        hardware_data: what the HardwareData of the host says, if there is one.
        boot: None while no ramdisk boots, and where boots cannot be seen.
    """

    credentials: Credentials = field(default_factory=CredentialsMissing)
    ironic_ready: bool = True
    node: NodeSeen | None = None
    inventory: HardwareDetails | None = None
    hardware_data: HardwareDetails | None = None
    ramdisk: RamdiskSeen = field(default_factory=RamdiskSeen)
    firmware: FirmwareSeen = field(default_factory=FirmwareSeen)
    data_image: DataImageSeen = field(default_factory=DataImageSeen)
    deploy: DeployData = field(default_factory=DeployData)
    boot: BootSeen | None = None
    site: Site = field(default_factory=Site)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Facts, Generic[CallT]):
    """All that was seen.

    Attributes:
        progress_of: how far a goal is, by the node that was seen. Only asked while Ironic is ready.
    """

    progress_of: Callable[[Goal], Progress[CallT]]
