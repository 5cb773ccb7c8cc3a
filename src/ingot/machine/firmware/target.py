"""What was found to boot, and what to say where nothing was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingot.machine.driver import MachineError
from ingot.machine.model import BootSource

__all__ = ["NotBootable", "Target"]


class NotBootable(MachineError):  # noqa: N818 - it says what was seen
    """A device has nothing to boot, so the next one is tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A kernel, ready to be started.

    Attributes:
        source: where it comes from.
        kernel: the program.
        initrds: in their order; the kernel gets them as one.
        arguments: in their order, as they were written by whoever offered the kernel.
    """

    source: BootSource
    kernel: Path
    initrds: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()
