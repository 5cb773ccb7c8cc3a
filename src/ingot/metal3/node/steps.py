"""Steps that change firmware, in cleaning and in servicing alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingot.ironic.document import Json
from ingot.ironic.driving import Step
from ingot.metal3.node.goal import FirmwareUpdate

__all__ = ["firmware_steps"]


def firmware_steps(bios: Mapping[str, str], updates: Sequence[FirmwareUpdate]) -> tuple[Step, ...]:
    """Return the steps that set BIOS settings and update firmware, in this order."""
    steps: list[Step] = []
    if bios:
        settings: list[Json] = [
            {"name": name, "value": value} for name, value in sorted(bios.items())
        ]
        steps.append(
            Step(interface="bios", step="apply_configuration", args={"settings": settings})
        )
    if updates:
        wanted: list[Json] = [{"component": one.component, "url": one.url} for one in updates]
        steps.append(Step(interface="firmware", step="update", args={"settings": wanted}))
    return tuple(steps)
