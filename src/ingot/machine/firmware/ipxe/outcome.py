"""How iPXE ends."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.machine.firmware.target import Target

__all__ = ["Boot", "Exit", "Outcome", "PowerOff", "Reset", "Stuck"]


@dataclass(frozen=True, slots=True)
class Boot:
    """A kernel is started."""

    target: Target


@dataclass(frozen=True, slots=True)
class Exit:
    """The firmware goes on with its next device."""

    code: int


@dataclass(frozen=True, slots=True)
class Reset:
    """The machine starts over."""


@dataclass(frozen=True, slots=True)
class PowerOff:
    """The machine goes off."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """The machine waits for a person, and stays on."""

    why: str


Outcome = Boot | Exit | Reset | PowerOff | Stuck
