"""The goal of a VM that cleans servers' disks: what differs from an install.

There is nobody to join and nothing to hand over. Hosts begin as ones whose image is being removed,
and Ironic makes them available by cleaning them; so those that are available are clean.
"""

from __future__ import annotations

from collections.abc import Mapping

from ingot.node.bootstrap.stage import Goal, Stage

__all__ = ["CLEAN", "CONFIG_SERVER", "PODS", "TEXTS"]

CLEAN = "available"

CONFIG_SERVER = "20-config-server"
METAL3 = "30-metal3"
MACHINES = "40-machine-controller"

PODS: Mapping[Goal, tuple[str, ...]] = {
    Goal.INSTALL: (CONFIG_SERVER, METAL3, MACHINES),
    Goal.WIPE: (METAL3,),
}
"""Who serves the servers: nothing that is cleaned asks for a config."""

TEXTS: Mapping[Goal, Mapping[Stage, str]] = {
    Goal.INSTALL: {},
    Goal.WIPE: {
        Stage.SERVICES: "starting Ironic",
        Stage.HOSTS: "cleaning the servers' disks",
        Stage.COMPLETE: "the disks are clean: this VM is no longer needed",
    },
}
"""What is said of stages in other words than for an install."""
