"""What the host controller needs of the rooms around it, one for each kind beside a host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ingot.ironic.document import Json
from ingot.ironic.node import NodeId
from ingot.kube.controller import Source
from ingot.kube.object import KubeObject
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.host.decision import DataImageStep, FirmwareRecord
from ingot.metal3.host.observation import DataImageSeen, DeployData, FirmwareSeen, RamdiskSeen
from ingot.metal3.node.subject import Ramdisk
from ingot.metal3.operator.hosts.booting import Signs

__all__ = ["Boots", "DataImages", "Deployments", "Firmware", "HardwareRecords", "Ramdisks", "Views"]

Host: TypeAlias = KubeObject[BareMetalHost]


class Room(Protocol):
    """A room whose objects call for their host."""

    def sources(self) -> Sequence[Source]:
        """Return what calls for a host's reconcile."""


class Firmware(Room, Protocol):
    """HostFirmwareSettings, HostFirmwareComponents and HostUpdatePolicy."""

    def seen(self, host: Host) -> FirmwareSeen:
        """Return what is asked of a host's firmware."""

    async def ensure(self, host: Host) -> None:
        """Have the objects made that a registered host has."""

    async def record(self, host: Host, step: FirmwareRecord) -> None:
        """Note which updates were made, or that none were."""


class Ramdisks(Room, Protocol):
    """PreprovisioningImages."""

    async def ensure(self, host: Host) -> None:
        """Ask for a host's image, if it needs one."""

    def seen(self, host: Host) -> RamdiskSeen:
        """Return whether there is a ramdisk to boot."""

    def ramdisk(self, host: Host) -> Ramdisk | None:
        """Return a host's own ramdisk; None takes the site's."""

    async def release(self, host: Host) -> None:
        """Let go of the image of a host that goes."""


class DataImages(Room, Protocol):
    """DataImages."""

    def seen(self, host: Host) -> DataImageSeen:
        """Return what should be, and what is, in a host's virtual drive."""

    async def change(self, host: Host, node: NodeId, step: DataImageStep) -> None:
        """Change what is in the drive."""


class HardwareRecords(Room, Protocol):
    """HardwareData."""

    def seen(self, host: Host) -> HardwareDetails | None:
        """Return what is told of a host's hardware."""

    async def write(self, host: Host, details: HardwareDetails) -> None:
        """Tell a host's hardware, in place of what was told before."""

    async def release(self, host: Host) -> None:
        """Let go of the data of a host that goes."""


class Deployments(Protocol):
    """The Secrets of a deployment."""

    async def data(self, host: BareMetalHost) -> DeployData:
        """Return what a host is deployed with."""

    async def ramdisk_network(self, host: BareMetalHost) -> Mapping[str, Json] | None:
        """Return the network settings of a host's ramdisk."""


class Boots(Protocol):
    """What boot servers log."""

    def signs(self, macs: Iterable[str]) -> Signs | None:
        """Return what was seen of a server with these network cards; None where nobody looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """All of them."""

    firmware: Firmware
    ramdisks: Ramdisks
    data_images: DataImages
    hardware: HardwareRecords
    deployments: Deployments
    boots: Boots

    def sources(self) -> tuple[Source, ...]:
        """Return all that calls for a host besides itself and its Secrets."""
        rooms: tuple[Room, ...] = (self.firmware, self.ramdisks, self.data_images, self.hardware)
        return tuple(source for room in rooms for source in room.sources())
