"""The kinds that the controllers talk to the API server about."""

from __future__ import annotations

from typing import Final

from ingot.kube.kind import Kind
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.api.machineset import MachineSet
from ingot.machineapi.api.wire import GROUP, VERSION
from ingot.machineapi.hosts import BARE_METAL_HOST as HOST
from ingot.machineapi.nodes import NODE, POD

__all__ = ["HOST", "MACHINE", "MACHINE_SET", "NODE", "POD"]

MACHINE: Final = Kind.of_model(Machine, group=GROUP, version=VERSION, plural="machines")
MACHINE_SET: Final = Kind.of_model(MachineSet, group=GROUP, version=VERSION, plural="machinesets")
