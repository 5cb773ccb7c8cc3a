"""A host as its BMC knows it: power, boot settings, media, and the faults that come between.

Both BMCs of a host, Redfish and IPMI, speak to the one chassis, so that what is set through one is
seen through the other. Faults of power, boot settings and media are here; those of a protocol are
with its server.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from ingot.errors import ExitCode, IngotError
from ingot.lab.plan import HostPlan
from ingot.machine.model import BootMode, BootSettings, BootSource, Power

__all__ = ["Chassis", "PowerAction", "PowerActionRefused"]


class PowerAction(StrEnum):
    """What a BMC can do to a host; the values are Redfish's own."""

    ON = "On"
    FORCE_OFF = "ForceOff"
    GRACEFUL_SHUTDOWN = "GracefulShutdown"
    FORCE_RESTART = "ForceRestart"
    GRACEFUL_RESTART = "GracefulRestart"
    FORCE_ON = "ForceOn"
    PUSH_POWER_BUTTON = "PushPowerButton"
    POWER_CYCLE = "PowerCycle"
    NMI = "Nmi"


class PowerActionRefused(IngotError):  # noqa: N818 - it says what happened
    """What runs a host cannot do this; a BMC says so to whoever asked."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, host: str, action: PowerAction) -> None:
        super().__init__(
            f"{host} does not know the power action {action}", remedy="use another power action"
        )
        self.host = host
        self.action = action


class Chassis(Protocol):
    """What a BMC may ask and order; callable from any thread."""

    plan: HostPlan

    def power(self) -> Power:
        """Return the power state, as this host's BMC reports it."""

    def act(self, action: PowerAction) -> None:
        """Begin a power action.

        Raises:
            PowerActionRefused: what runs this host cannot do it.
            MachineError: it was tried, and failed at once.
        """

    def boot_settings(self) -> BootSettings:
        """Return what the firmware has been told."""

    def set_boot_once(self, source: BootSource | None) -> None:
        """Set or withdraw the one-time boot device."""

    def set_boot_order(self, order: tuple[BootSource, ...]) -> None:
        """Set the boot order."""

    def set_boot_mode(self, mode: BootMode) -> None:
        """Set the kind of firmware."""

    def set_secure_boot(self, *, on: bool) -> None:
        """Switch secure boot."""

    def insert_media(self, image: Path) -> None:
        """Put an image into the virtual drive."""

    def eject_media(self) -> None:
        """Empty the virtual drive."""

    def identify(self, *, on: bool, seconds: float | None = None) -> None:
        """Switch the light by which a person finds the host, on for some seconds or for good."""

    def is_identified(self) -> bool:
        """Return whether that light is on."""

    def add_observer(self, on_power_on: Callable[[str], None]) -> None:
        """Have a function called with the host's name just before it starts or is reset."""
