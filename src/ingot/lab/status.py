"""How a lab is doing: what `ingot lab status` shows and prints as JSON."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ingot.lab.plan import BmcKind, DriverKind, Role
from ingot.machine.model import Power

__all__ = ["HostStatus", "LabStatus"]


class Report(BaseModel):
    """A part of the answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class HostStatus(Report):
    """One host."""

    name: str
    role: Role
    driver: DriverKind
    bmc: BmcKind
    bmc_address: str
    address: str | None
    """Its address on the external network."""
    power: Power
    boot: str
    """What its firmware will try: the order, or the one-time device."""
    media: str | None
    """The file name of what is in the virtual drive."""
    activity: str
    """What it is doing, in a few words."""
    console: str
    """The last line on its console."""
    faults: tuple[str, ...]
    """The kinds that are set on it."""


class LabStatus(Report):
    """The lab."""

    name: str
    running: bool
    """Whether its daemon, and so its BMCs, are there."""
    directory: str
    namespace: str
    api_vip: str
    hosts: tuple[HostStatus, ...]
