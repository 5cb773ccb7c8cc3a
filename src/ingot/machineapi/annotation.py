"""Annotations, labels and finalizers of the machine API, as upstream spells them.

The module's name is singular because `annotations` is what `from __future__` brings into each file.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "AUTOSCALE",
    "DELETE_FIRST",
    "EXCLUDE_DRAINING",
    "FINALIZER",
    "HOST",
    "HOST_DETACHED",
    "HOST_PAUSED",
    "HOST_REBOOT",
    "HOST_UNHEALTHY",
    "INSTANCE_STATE",
    "MACHINE",
    "PASSED_OVER",
    "ROLE",
    "SET",
    "TYPE",
]

HOST: Final = "metal3.io/BareMetalHost"
"""On a Machine: its host, as namespace/name. Written before the host is claimed, so that a Machine
never has two."""

PASSED_OVER: Final = "ingot.local/passed-over"
"""On a host: a Machine that named it before, and a mark that makes this another version of it."""

MACHINE: Final = "machine.openshift.io/machine"
"""On a Node: its Machine, as namespace/name."""

AUTOSCALE: Final = "metal3.io/autoscale-to-hosts"
"""On a MachineSet, with any value: as many machines as there are hosts for them."""

DELETE_FIRST: Final = frozenset(
    {"machine.openshift.io/delete-machine", "cluster.x-k8s.io/delete-machine"}
)
"""On a Machine, with any value: when its set shrinks, this one goes first."""

EXCLUDE_DRAINING: Final = "machine.openshift.io/exclude-node-draining"
"""On a Machine, with any value: its Node is not drained before it goes."""

INSTANCE_STATE: Final = "machine.openshift.io/instance-state"
"""On a Machine: the state of its host."""

FINALIZER: Final = "machine.machine.openshift.io"
"""On a Machine: its host is to be given back first."""

SET: Final = "machine.openshift.io/cluster-api-machineset"
ROLE: Final = "machine.openshift.io/cluster-api-machine-role"
TYPE: Final = "machine.openshift.io/cluster-api-machine-type"
"""Labels of a Machine: the set that made it, and what it is for."""

HOST_REBOOT: Final = "reboot.metal3.io"
"""On a host, alone or with a slash and who says so: its server is turned off for a while."""

HOST_PAUSED: Final = "baremetalhost.metal3.io/paused"
HOST_DETACHED: Final = "baremetalhost.metal3.io/detached"
HOST_UNHEALTHY: Final = ("capm3.metal3.io/unhealthy", "capi.metal3.io/unhealthy")
"""On a host: nothing would happen to it, or nothing good; it is not claimed."""
