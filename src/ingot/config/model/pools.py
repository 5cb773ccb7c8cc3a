"""`controlPlane` and `compute`: how many machines of each kind."""

from __future__ import annotations

from typing import Annotated

from ingot.config.model.section import HIDDEN, Nothing, NotYet, PlatformChoice, Section
from ingot.config.model.words import Architecture, Hyperthreading, MachineManagement
from ingot.config.reading import choice

__all__ = ["Architecture", "MachinePool", "PoolPlatform"]


class PoolPlatform(PlatformChoice):
    """Options of the platform for one pool. Bare metal has none."""

    baremetal: Nothing | None = None
    """An empty mapping."""


class MachinePool(Section):
    """Machines of one kind."""

    name: str = ""
    """`master` for the control plane, `worker` for compute."""

    replicas: int | None = None
    """How many machines. Control plane: an odd number."""

    platform: PoolPlatform = PoolPlatform()
    """Options of the platform for this pool. Bare metal has none."""

    hyperthreading: Annotated[Hyperthreading, choice("M2", Hyperthreading)] = Hyperthreading.ENABLED
    """Whether a core runs two threads."""

    architecture: Annotated[Architecture, choice("M2", Architecture)] = Architecture.AMD64
    """The instruction set of the pool's machines."""

    fencing: Annotated[
        object, HIDDEN, NotYet("U2", "two-node clusters with fencing are not built yet")
    ] = None
    """Credentials for fencing in a cluster of two nodes."""

    disk_setup: Annotated[object, NotYet("U5", "extra disks are not set up yet")] = None
    """Disks for etcd, swap or data."""

    management: Annotated[MachineManagement | None, choice("M8", MachineManagement)] = None
    """Which API manages the machines."""
