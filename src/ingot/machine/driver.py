"""The door to a machine, whatever runs it.

Everything here returns when it is done or has begun, within seconds, and may be called from any
thread. A driver keeps what it knows in files or asks the hypervisor, never in memory alone: a
second driver object, also in another process, sees the same machines.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ingot.errors import ExitCode, IngotError
from ingot.machine.model import BootSettings, MachineSpec, Power

__all__ = ["Driver", "MachineError", "NoSuchMachine"]


class MachineError(IngotError):
    """A machine cannot be made or does not do what it was told."""

    exit_code = ExitCode.INFRASTRUCTURE


class NoSuchMachine(MachineError):  # noqa: N818 - it names what was seen
    """Nothing is defined by that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no machine {name!r}", remedy="define it first")
        self.name = name


class Driver(Protocol):
    """What can be done with machines."""

    def define(self, spec: MachineSpec) -> None:
        """Make a machine with its disks and links, powered off; nothing where it exists alike."""

    def undefine(self, name: str) -> None:
        """Remove a machine and everything that was made for it; nothing where there is none."""

    def machines(self) -> tuple[str, ...]:
        """Return the names of all that are defined."""

    def spec(self, name: str) -> MachineSpec:
        """Return what a machine is made of."""

    def power(self, name: str) -> Power:
        """Return whether a machine is powered."""

    def power_on(self, name: str) -> None:
        """Start a machine at its firmware; nothing where it is on."""

    def power_off(self, name: str) -> None:
        """Pull the plug; nothing where it is off. It is off when this returns."""

    def press_power_button(self, name: str) -> None:
        """Ask what runs on a machine to power it off, which it may do later, or never."""

    def reset(self, name: str) -> None:
        """Start a running machine over at its firmware, without asking; nothing where it is off."""

    def boot_settings(self, name: str) -> BootSettings:
        """Return what the firmware has been told; `once` is gone when it has been used."""

    def set_boot_settings(self, name: str, settings: BootSettings) -> None:
        """Tell the firmware. Media is there at once; the rest counts from the next start."""

    def change_boot_settings(
        self, name: str, change: Callable[[BootSettings], BootSettings]
    ) -> None:
        """Tell the firmware something else than it has been told, as `set_boot_settings` does.

        Nothing can come in between: a one-time source that the firmware takes at that moment does
        not come back.
        """

    def activity(self, name: str) -> str:
        """Return in a few words what a machine is doing, as far as can be seen from outside."""

    def console(self, name: str) -> Path:
        """Return the file that has everything the serial console ever showed."""
