"""RAID volumes: built by a controller, or by the kernel."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import NULLABLE, STORED_DEFAULT, WIRE, Many, Text
from ingot.metal3.api.rootdevice import RootDeviceHints

__all__ = [
    "RAID",
    "HardwareRaidLevel",
    "HardwareRaidVolume",
    "SoftwareRaidLevel",
    "SoftwareRaidVolume",
]

Size = Annotated[int, Field(ge=0)]


class HardwareRaidLevel(StrEnum):
    """What a RAID controller can build."""

    STRIPE = "0"
    MIRROR = "1"
    HAMMING = "2"
    PARITY = "5"
    DOUBLE_PARITY = "6"
    MIRRORED_STRIPE = "1+0"
    PARITY_STRIPE = "5+0"
    DOUBLE_PARITY_STRIPE = "6+0"


class SoftwareRaidLevel(StrEnum):
    """What the kernel builds here."""

    STRIPE = "0"
    MIRROR = "1"
    MIRRORED_STRIPE = "1+0"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HardwareRaidVolume:
    """A volume that a RAID controller builds."""

    level: HardwareRaidLevel
    """The RAID level."""

    name: Annotated[Text, Field(max_length=64)] = ""
    """The volume's name. Made up by the controller when not given."""

    size_gibibytes: Size | None = None
    """The volume's size. As large as can be when not given or 0."""

    rotational: bool | None = None
    """Whether to use disks that spin, or only others. Any disks when not given."""

    number_of_physical_disks: Annotated[int, Field(ge=1)] | None = None
    """How many disks to use. As few as the level allows when not given."""

    controller: Text = ""
    """The RAID controller. Needed when disks are named."""

    physical_disks: Many[str] = ()
    """The disks to use, by the names that the controller gives them."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class SoftwareRaidVolume:
    """A volume that the kernel builds."""

    level: SoftwareRaidLevel
    """The RAID level. The first volume has to be a mirror, level 1."""

    size_gibibytes: Size | None = None
    """The volume's size. All that is left when not given or 0."""

    physical_disks: Annotated[tuple[RootDeviceHints, ...], Field(min_length=2)] | None = None
    """Hints for the disks to use, one entry for each."""

    root_volume: Annotated[bool, STORED_DEFAULT] = False
    """Whether the image is written to this volume."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class RAID:
    """The volumes that a server should have.

    A list that is absent changes nothing; an empty one removes all volumes of its sort.
    """

    hardware_raid_volumes: Annotated[
        tuple[HardwareRaidVolume, ...] | None, Field(alias="hardwareRAIDVolumes"), NULLABLE
    ] = None
    """Volumes of RAID controllers."""

    software_raid_volumes: Annotated[
        Annotated[tuple[SoftwareRaidVolume, ...], Field(max_length=2)] | None,
        Field(alias="softwareRAIDVolumes"),
        NULLABLE,
    ] = None
    """Volumes of the kernel. Not together with the other sort."""
