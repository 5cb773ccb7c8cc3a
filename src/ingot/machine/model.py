"""What a machine is made of, and what its firmware has been told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NewType

__all__ = [
    "DEFAULT_ORDER",
    "BootMode",
    "BootSettings",
    "BootSource",
    "Disk",
    "MacAddress",
    "MachineSpec",
    "Nic",
    "Power",
]

MacAddress = NewType("MacAddress", str)
"""Six bytes in lower case hexadecimal, with colons."""


class Power(StrEnum):
    """Whether there is current."""

    ON = "on"
    OFF = "off"


class BootSource(StrEnum):
    """Where firmware looks for something to start."""

    NETWORK = "network"
    MEDIA = "media"
    DISK = "disk"


class BootMode(StrEnum):
    """Which kind of firmware a machine shows to the network and to what it boots."""

    LEGACY = "legacy"
    UEFI = "uefi"


DEFAULT_ORDER = (BootSource.DISK, BootSource.NETWORK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """A network card.

    Attributes:
        mac: its address.
        bridge: the bridge it is plugged into, in the network namespace of the driver.
        port: the name of the link on that bridge, at most 12 characters and unique in there.
    """

    mac: MacAddress
    bridge: str
    port: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A disk; its content outlives power cycles.

    Attributes:
        size_bytes: how much it holds.
        serial: what it says when asked for its number.
        wwn: its world wide name, as `0x` and 16 digits.
        image: a raw image that it starts out with; empty without one.
    """

    size_bytes: int
    serial: str
    wwn: str
    image: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSpec:
    """Everything about a machine that does not change while it exists.

    Attributes:
        name: unique among the machines of its driver; a DNS label.
        uuid: its system UUID.
        disks: in their order; the first is what firmware boots from.
        nics: in their order; the first one boots.
        drives: read-only images that are always attached, as a config drive is.
    """

    name: str
    uuid: str
    memory_mib: int
    cpus: int = 1
    disks: tuple[Disk, ...]
    nics: tuple[Nic, ...]
    drives: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BootSettings:
    """What a BMC can tell the firmware.

    Attributes:
        order: what to try, one after the other.
        once: tried alone at the next start instead of the order, and then forgotten.
        mode: the kind of firmware.
        media: the image in the virtual drive.
    """

    order: tuple[BootSource, ...] = DEFAULT_ORDER
    once: BootSource | None = None
    mode: BootMode = BootMode.LEGACY
    secure_boot: bool = False
    media: Path | None = None
