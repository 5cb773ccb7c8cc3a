"""Our hardware manager: how the agent learns what Ingot knows about hardware.

It stands beside the agent's generic manager. A method that it does not have is looked for in the
generic one, so it has exactly those that are to differ. For now it only makes itself known.
"""

from __future__ import annotations

from ironic_python_agent import hardware  # type: ignore[import-not-found] # only in the ramdisk

__all__ = ["IngotHardwareManager"]


class IngotHardwareManager(hardware.HardwareManager):  # type: ignore[misc] # as above
    """Reports itself; everything else is the generic manager's."""

    HARDWARE_MANAGER_NAME = "ingot"
    HARDWARE_MANAGER_VERSION = "1"

    def evaluate_hardware_support(self) -> int:
        """Return how well we fit: on every machine, and asked before the generic manager."""
        return int(hardware.HardwareSupport.SERVICE_PROVIDER)
