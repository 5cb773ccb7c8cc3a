"""How an install stands, as one value: what displays show, and what a report is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ingot.installer.phase import Phase

__all__ = ["HostProgress", "Listener", "PhaseTimes", "Progress"]

PROVISIONED = frozenset({"provisioned", "externally provisioned"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgress:
    """How one server stands.

    Attributes:
        name: its name.
        role: what it becomes.
        state: that of its BareMetalHost.
        step: what is being done with it, in words.
        share: of its image that is written, from 0 to 1; None while none is being written.
        attempts: how often something was tried again.
        error: what went wrong last; empty when nothing is wrong.
        lost: what is known of a boot that was lost and is tried again.
        claimed: whether a Machine has taken it.
        joined: whether its Node is there, and Ready.
    """

    name: str
    role: str = "control-plane"
    state: str = ""
    step: str = ""
    share: float | None = None
    attempts: int = 0
    error: str = ""
    lost: str = ""
    claimed: bool = False
    joined: bool = False

    @property
    def is_provisioned(self) -> bool:
        """Whether it has its image."""
        return self.state in PROVISIONED

    @property
    def is_awaited(self) -> bool:
        """Whether the bootstrap waits for it to be provisioned: workers come after it."""
        return self.role == "control-plane" and not self.is_provisioned


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseTimes:
    """When a phase began and ended."""

    phase: Phase
    began: datetime
    ended: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Everything that is known at a moment.

    Attributes:
        phases: those that have begun.
        message: what is being waited for.
        error: what went wrong last, and is tried again.
        lasting: whether that does not pass until a person does something.
        hosts: the servers.
        vip_holder: who was last seen to hold the API's VIP; empty while nobody was.
        last_event: what Kubernetes recorded last of a server.
        overcome: what went wrong and was mended, for the report.
    """

    phases: tuple[PhaseTimes, ...] = ()
    message: str = ""
    error: str = ""
    lasting: bool = False
    hosts: tuple[HostProgress, ...] = ()
    vip_holder: str = ""
    last_event: str = ""
    overcome: tuple[str, ...] = field(default=())

    @property
    def phase(self) -> Phase | None:
        """The present phase."""
        return self.phases[-1].phase if self.phases else None


Listener = Callable[[Progress], None]
"""Whoever is told of every change."""
