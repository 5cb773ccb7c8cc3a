"""The old three firmware switches of a host, which its webhook refuses by now."""

from __future__ import annotations

from typing import Annotated

from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import WIRE, Publish

__all__ = ["FirmwareConfig"]

Switch = Annotated[bool, Publish({"enum": [True, False]})]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class FirmwareConfig:
    """Firmware switches. Deprecated."""

    virtualization_enabled: Switch | None = None
    """Virtualization in hardware."""

    simultaneous_multithreading_enabled: Switch | None = None
    """Several logical processors for each core."""

    sriov_enabled: Switch | None = None
    """Network cards that virtual machines can share."""
