"""How an install stands, as one value: what displays show, and what a report is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ingot.installer.phase import Phase

__all__ = ["HostProgress", "Listener", "PhaseTimes", "Progress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgress:
    """How one server stands.

    Attributes:
        name: its name.
        role: what it becomes.
        state: that of its BareMetalHost.
        step: what is being done with it, in words.
        share: of its image that is written, from 0 to 1; None while none is.
        attempts: how often something was tried again.
        error: what went wrong last; empty when nothing is wrong.
    """

    name: str
    role: str = "control-plane"
    state: str = ""
    step: str = ""
    share: float | None = None
    attempts: int = 0
    error: str = ""


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
        hosts: the servers.
        vip_holder: who holds the API's VIP; empty while nobody knows.
        last_event: what Kubernetes recorded last of a server.
        overcome: what went wrong and was mended, for the report.
    """

    phases: tuple[PhaseTimes, ...] = ()
    message: str = ""
    error: str = ""
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
