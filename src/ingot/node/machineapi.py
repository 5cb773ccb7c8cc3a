"""The controllers of machines as a process: options from the environment, a log, signals.

The rooms that need more than the API are put together here: who asks etcd, and who calls kubelets.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Final

from ingot.errors import ExitCode
from ingot.machineapi.approving.kubelet import Kubelets
from ingot.machineapi.approving.room import ApprovingRoom
from ingot.machineapi.healing.checks import CheckRoom
from ingot.machineapi.healing.healings import HealingRoom
from ingot.machineapi.machines.room import MachineRoom
from ingot.machineapi.machinesets.room import MachineSetRoom
from ingot.machineapi.options import Options, read
from ingot.machineapi.parts import Parts, Room
from ingot.machineapi.program import run
from ingot.node.etcd import Etcd
from ingot.node.etcdmembers import ClusterEtcd, control_plane_urls
from ingot.node.running import log_to_stderr, run_until_told

__all__ = ["control_machines", "rooms_of"]

_LAYOUT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


def control_machines() -> int:
    """Run until the first SIGTERM or SIGINT; what is under way then is ended first."""
    options = read(os.environ)
    log_to_stderr(options.log_level, _LAYOUT)
    run_until_told(partial(run, options, rooms=rooms_of(options)))
    return ExitCode.OK


def rooms_of(options: Options) -> tuple[Callable[[Parts], Room], ...]:
    """Return everything that looks after machines."""
    kubelets = Kubelets(options.cluster_ca)

    def approving(parts: Parts) -> Room:
        return ApprovingRoom(parts, policy=options.policy, present=kubelets)

    def etcd(parts: Parts) -> ClusterEtcd:
        return ClusterEtcd(Etcd(options.etcd_pki), lambda: control_plane_urls(parts.nodes.store))

    def machines(parts: Parts) -> Room:
        return MachineRoom(parts, etcd=etcd(parts))

    def healing(parts: Parts) -> Room:
        return HealingRoom(parts, etcd=etcd(parts))

    return (machines, MachineSetRoom, approving, CheckRoom, healing)
