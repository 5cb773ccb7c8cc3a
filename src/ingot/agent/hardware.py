"""Our hardware manager: how the agent learns what Ingot knows about hardware.

It stands beside the agent's generic manager. A method that it does not have is looked for in the
generic one, so it has exactly those that are to differ.

What switches tell of themselves (LLDP) is listened for once: the generic manager does so each time
that it lists network cards, half a minute each where no switch speaks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ironic_python_agent import hardware  # type: ignore[import-not-found] # only in the ramdisk

__all__ = ["IngotHardwareManager"]


class IngotHardwareManager(hardware.HardwareManager):  # type: ignore[misc] # as above
    """Remembers what switches told; everything else is the generic manager's."""

    HARDWARE_MANAGER_NAME = "ingot"
    HARDWARE_MANAGER_VERSION = "1"

    def __init__(self) -> None:
        super().__init__()
        self._heard: dict[tuple[str, ...], object] = {}

    def collect_lldp_data(self, interface_names: Sequence[str] = ()) -> object:
        """Return what is heard at network cards, or was when they were first listened at."""
        names = tuple(sorted(interface_names or ()))
        if names not in self._heard:
            generic = hardware.GenericHardwareManager()
            self._heard[names] = generic.collect_lldp_data(interface_names)
        return self._heard[names]

    def evaluate_hardware_support(self) -> int:
        """Return how well we fit: on every machine, and asked before the generic manager."""
        return int(hardware.HardwareSupport.SERVICE_PROVIDER)
