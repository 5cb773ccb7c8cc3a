"""What the controllers share, and how patient they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from ingot.kube.client import KubeClient
from ingot.kube.controller import Controller
from ingot.kube.recording import Recorder
from ingot.kube.runtime import Runtime
from ingot.kube.sharedwatch import SharedWatch
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.api.machineset import MachineSet
from ingot.machineapi.hosts import Host
from ingot.machineapi.kinds import HOST, MACHINE, MACHINE_SET, NODE
from ingot.machineapi.nodes import Node

__all__ = ["Parts", "Patience", "Room"]


def utc_now() -> datetime:
    """Return the time by this machine's clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long things may take, in seconds.

    Attributes:
        drain: after this a Node is no longer waited for to be empty.
        release: after this a host that is given back is no longer waited for.
        retry: how often a Machine without a host looks again; a host that comes free calls it.
        look: how often something is looked at that may not tell of itself, such as a drain.
    """

    drain: float = 600.0
    release: float = 1800.0
    retry: float = 30.0
    look: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """One of each.

    Attributes:
        runtime: the API server: client, watches, events, metrics.
        patience: how long things may take.
        now: the time; tests have their own.
        unseating: who has it may cost etcd a member, be it by turning its server off or by removing
            it; the next to have it is judged by what is left.
    """

    runtime: Runtime
    patience: Patience = field(default_factory=Patience)
    now: Callable[[], datetime] = utc_now
    unseating: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def client(self) -> KubeClient:
        """The API server."""
        return self.runtime.client

    @property
    def recorder(self) -> Recorder:
        """Where events are told."""
        return self.runtime.recorder

    @property
    def machines(self) -> SharedWatch[Machine]:
        """The watch of all Machines."""
        return self.runtime.watches.of(MACHINE)

    @property
    def sets(self) -> SharedWatch[MachineSet]:
        """The watch of all MachineSets."""
        return self.runtime.watches.of(MACHINE_SET)

    @property
    def hosts(self) -> SharedWatch[Host]:
        """The watch of all hosts."""
        return self.runtime.watches.of(HOST)

    @property
    def nodes(self) -> SharedWatch[Node]:
        """The watch of all Nodes."""
        return self.runtime.watches.of(NODE)


class Room(Protocol):
    """Controllers that belong together. It is made from the parts, before the watches begin."""

    def controllers(self) -> list[Controller]:
        """Return its controllers."""
