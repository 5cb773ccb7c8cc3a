"""What the tests of a driver bring to the contract of all drivers."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ingot.machine.driver import Driver
from ingot.machine.model import BootMode, MachineSpec


class Bench(Protocol):
    """A driver with all that its machines need; they are gone when the test is over.

    Attributes:
        driver: the driver.
        mode: the kind of firmware its machines have.
        boot_seconds: how long a system may take from power to its first words.
        folder: for what a test makes.
    """

    driver: Driver
    mode: BootMode
    boot_seconds: float
    folder: Path

    def another_driver(self) -> Driver:
        """Return a second driver object for the same machines."""

    def empty(self, name: str) -> MachineSpec:
        """Return a small machine with nothing on its disk."""

    def system(self, name: str, drive: Path) -> MachineSpec:
        """Return a machine with the node image on its disk, and a config drive."""
