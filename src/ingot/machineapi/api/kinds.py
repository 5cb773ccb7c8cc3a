"""Every kind of this API whose definition is generated."""

from __future__ import annotations

from typing import Final

from ingot.kube.crd.definition import Definition
from ingot.machineapi.api import machine, machinehealthcheck, machineset

__all__ = ["DEFINITIONS"]

DEFINITIONS: Final[tuple[Definition, ...]] = (
    machine.DEFINITION,
    machineset.DEFINITION,
    machinehealthcheck.DEFINITION,
)
