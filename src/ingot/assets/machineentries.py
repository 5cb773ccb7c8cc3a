"""The catalogue's entries of Machines, and of who looks after them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.assets import machinecontroller, machines
from ingot.assets.graph.asset import Asset

__all__ = ["NAMES", "entries"]

NAMES: Final = ("machine-controller", "machines")

_PLATFORM: Final = "platform.baremetal"
_VIPS: Final = (f"{_PLATFORM}.apiVIPs", f"{_PLATFORM}.ingressVIPs")


def entries() -> Iterator[Asset]:
    """Return the assets; all of them are manifests."""
    yield Asset(
        name="machine-controller",
        about="who claims hosts, approves nodes and heals them",
        make=lambda inputs: machinecontroller.machine_controller(inputs.config, inputs.payload),
        reads=("networking.machineNetwork", *_VIPS),
        carries=True,
        places=(machinecontroller.PATH,),
    )
    yield Asset(
        name="machines",
        about="what nodes run on, and how many workers there are to be",
        make=lambda inputs: machines.machines(inputs.config, inputs.payload),
        reads=(
            "metadata.name",
            "compute.replicas",
            "controlPlane.replicas",
            f"{_PLATFORM}.apiVIPs",
            f"{_PLATFORM}.bootstrapProvisioningIP",
            f"{_PLATFORM}.clusterOSImage",
            f"{_PLATFORM}.clusterProvisioningIP",
            f"{_PLATFORM}.hosts.name",
            f"{_PLATFORM}.hosts.role",
            f"{_PLATFORM}.provisioningNetwork",
        ),
        carries=True,
        places=(machines.MACHINES_PATH, machines.SETS_PATH, machines.CHECK_PATH),
    )
