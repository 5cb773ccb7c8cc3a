"""What comes next in the healing of one Machine. Nothing is done here.

Each look leads to one step: something is remembered, or one thing is done, or it is waited for. A
phase is remembered before anything is done in it, and what is to be done is read off what there is.
So a healing goes on wherever it was cut off, and nothing is harmed by doing it again.

A server is fenced once it is known to be off. It may have been off all along; but then somebody may
be turning it on just now who has not yet seen that it is held. So that counts only after a while.

A server is kept off for good only if something takes its place. One of the control plane may be a
healthy member of etcd whose kubelet alone is silent, so without a spare it is left on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Final, TypeAlias

from ingot.machineapi import annotation
from ingot.machineapi.healing.hold import Hold
from ingot.machineapi.healing.record import Healing, Phase
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeSeen

__all__ = [
    "OUT_OF_SERVICE",
    "Act",
    "Case",
    "Do",
    "Forget",
    "Look",
    "Remember",
    "Rest",
    "Step",
    "may_begin_again",
    "next_step",
    "unfit",
]

OUT_OF_SERVICE: Final = ("node.kubernetes.io/out-of-service", "NoExecute")
"""The taint of a Node whose machine is known to be off: its pods and volumes are let go."""

SETTLE: Final = timedelta(seconds=90)
"""Ironic waits for a minute for a server to be turned on, and is asked every few seconds."""

EMPTY_LIMIT: Final = timedelta(minutes=5)
"""Pods of a node that is off go within seconds; volumes take what their driver takes."""

SOON: Final = 5.0
LATER: Final = 30.0


class Act(Enum):
    """What is done."""

    HOLD = "have the server turned off"
    RELEASE = "let the server be turned on"
    TAINT = "let pods and volumes go elsewhere"
    UNTAINT = "let pods come back"
    REPLACE = "have another Machine take its place"


@dataclass(frozen=True, slots=True)
class Do:
    """One thing is done."""

    act: Act


@dataclass(frozen=True, slots=True)
class Remember:
    """How far it has come is written down; `told` is an event's message, if it is worth one."""

    healing: Healing
    told: str = ""
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Forget:
    """It is over, and `told` says how."""

    told: str


@dataclass(frozen=True, slots=True)
class Rest:
    """There is nothing to do now; `why` is told where somebody should know."""

    seconds: float
    why: str = ""


Step: TypeAlias = Do | Remember | Forget | Rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What only some phases ask for.

    Attributes:
        risk: why a server of the control plane must not be turned off; "" if it may.
        emptied: whether no pod and no volume is left on the Node.
        obstacle: why nothing could take the place of one of the control plane; "" if something
            could.
    """

    risk: str = ""
    emptied: bool = False
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that is known of a Machine that is being healed.

    Attributes:
        sick: whether it counts as unhealthy.
        retry_limit: how often its server is turned off and on.
        timeout: how long turning off, and coming back, may take.
        look: what was looked at for this phase.
    """

    machine: MachineSeen
    host: HostSeen | None
    node: NodeSeen | None
    healing: Healing
    sick: bool
    retry_limit: int
    timeout: timedelta
    now: datetime
    look: Look = Look()

    @property
    def hold(self) -> Hold | None:
        """By what the server is held off; None if it is not, or not by us and for this."""
        found = Hold.of(self.host.annotations) if self.host else None
        return found if found and found.machine == self.machine.key else None

    @property
    def held(self) -> bool:
        """Whether the server is held off by us."""
        return self.hold is not None

    @property
    def tainted(self) -> bool:
        """Whether the Node is marked as out of service."""
        return self.node is not None and OUT_OF_SERVICE in self.node.taints

    @property
    def overdue(self) -> bool:
        """Whether the phase lasts for too long."""
        return self.now - self.healing.since > self.timeout

    @property
    def came_back(self) -> bool:
        """Whether the kubelet of another boot has told of itself."""
        if self.node is None:
            return False
        known, told = self.healing.boot, self.node.boot
        return told != known if known and told else self.node.ready

    @property
    def replaceable(self) -> bool:
        """Whether another Machine would take its place."""
        external = self.host is not None and self.host.external
        return (self.machine.owned or self.machine.is_control_plane) and not external

    def turned(self, phase: Phase, **changes: bool | int | str) -> Healing:
        """Return what is remembered when a phase begins."""
        return replace(self.healing, phase=phase, since=self.now, **changes)  # type: ignore[arg-type] # its own fields


def unfit(host: HostSeen | None) -> str:
    """Return why a Machine cannot be healed by the power of its host; "" if it can."""
    if host is None:
        return "it has no host"
    if host.keeps_power:
        return f"host {host.key} must not be turned off, as its disablePowerOff says"
    if annotation.HOST_PAUSED in host.annotations or annotation.HOST_DETACHED in host.annotations:
        return f"host {host.key} is paused or detached"
    if host.going or not host.in_use:
        return f"host {host.key} is {'being deleted' if host.going else host.state or 'new'}"
    return ""


def may_begin_again(
    healing: Healing, host: HostSeen | None, *, obstacle: str, patience: timedelta, now: datetime
) -> bool:
    """Tell whether a healing of the control plane that was given up may begin anew.

    It was given up since nothing could take the Machine's place, and now something could.

    Args:
        healing: how far it came.
        host: of the Machine.
        obstacle: why nothing could take its place now; "" if something could.
        patience: how long the server has to come back after it was let go.
        now: the time.
    """
    if healing.phase is not Phase.FAILED or obstacle:
        return False
    if host is None or host.external or Hold.of(host.annotations) is not None:
        return False
    return now - healing.since > patience


def next_step(case: Case) -> Step:
    """Return what comes next."""
    if case.machine.going:
        return _going(case)
    match case.healing.phase:
        case Phase.FENCING:
            return _fencing(case)
        case Phase.EMPTYING:
            return _emptying(case)
        case Phase.STARTING:
            return _starting(case)
        case Phase.REPLACING:
            return _not_fenced(case) or Do(Act.REPLACE)
        case Phase.FAILED:
            return _failed(case)


def _going(case: Case) -> Step:
    """Let go of a host that is no longer the Machine's; until then it stays off if it was."""
    host = case.host
    given_back = host is None or host.consumer != case.machine.key or not host.wanted
    if case.held and given_back:
        return Do(Act.RELEASE)
    return Rest(LATER)


def _fencing(case: Case) -> Step:
    healing, host, hold = case.healing, case.host, case.hold
    if host is None or hold is None:
        return _before_fencing(case)
    was_on = healing.seen_on == hold.at
    if host.powered_on:
        if not was_on:
            return Remember(replace(healing, seen_on=hold.at))
        if case.overdue:
            said = f": {host.error}" if host.error else ""
            return Rest(LATER, f"host {host.key} has not been turned off in {case.timeout}{said}")
        return Rest(SOON)
    settled = hold.at + SETTLE
    if not was_on and case.now < settled:
        return Rest((settled - case.now).total_seconds())
    return Remember(case.turned(Phase.EMPTYING), f"host {host.key} is off; its pods move")


def _before_fencing(case: Case) -> Step:
    if not case.sick:
        return Forget("it is healthy again, and nothing was done")
    if case.healing.last and case.look.obstacle:
        return _left_on(case)
    if problem := unfit(case.host):
        return Rest(LATER, f"it is not healed: {problem}")
    if case.look.risk:
        return Rest(LATER, f"its server stays on: {case.look.risk}")
    return Do(Act.HOLD)


def _not_fenced(case: Case) -> Remember | None:
    """Return what follows if the server may be running although it should be off."""
    if case.held and case.host is not None and not case.host.powered_on:
        return None
    told = "its server is no longer held off; it is turned off again"
    return Remember(case.turned(Phase.FENCING), told, warning=True)


def _emptying(case: Case) -> Step:
    if again := _not_fenced(case):
        return again
    if case.node is not None and not case.tainted:
        return Do(Act.TAINT)
    late = case.now - case.healing.since > EMPTY_LIMIT
    if case.node is not None and not case.look.emptied and not late:
        return Rest(SOON)
    left = f"; after {EMPTY_LIMIT} some pods or volumes are still there" if late else ""
    if case.healing.last and case.look.obstacle:
        return _left_on(case, left.removeprefix("; "))
    if case.healing.last:
        return Remember(case.turned(Phase.REPLACING), f"it is replaced{left}", warning=True)
    told = f"its server is turned on again{left}"
    return Remember(case.turned(Phase.STARTING), told, warning=bool(left))


def _starting(case: Case) -> Step:
    if case.held:
        return Do(Act.RELEASE)
    if case.came_back:
        if case.tainted:
            return Do(Act.UNTAINT)
        if not case.sick:
            took = case.now - case.healing.began
            return Forget(f"it is healthy again, {took.total_seconds():.0f} s after it was noticed")
    if not case.overdue:
        return Rest(SOON)
    return _not_come_back(case)


def _not_come_back(case: Case) -> Step:
    tries, boot = case.healing.tries, case.node.boot if case.node else ""
    told = f"it is not healthy {case.timeout} after its server was to be turned on"
    if tries < case.retry_limit:
        again = case.turned(Phase.FENCING, tries=tries + 1, boot=boot)
        return Remember(again, f"{told}; once more", warning=True)
    if case.replaceable and case.look.obstacle:
        return _left_on(case, told)
    if case.replaceable:
        final = case.turned(Phase.FENCING, last=True, boot=boot)
        return Remember(final, f"{told}, for the last time; it is replaced", warning=True)
    told += "; nothing would take its place, so it is left as it is: look at its server"
    return Remember(case.turned(Phase.FAILED), told, warning=True)


def _left_on(case: Case, before: str = "") -> Remember:
    """Return that nothing could take its place, so that its server is on, and may come back."""
    told = f"it is not replaced, and its server not kept off: {case.look.obstacle}"
    told = f"{before}; {told}" if before else told
    return Remember(case.turned(Phase.FAILED, last=False), told, warning=True)


def _failed(case: Case) -> Step:
    if case.held:
        return Do(Act.RELEASE)
    if case.tainted and case.came_back:
        return Do(Act.UNTAINT)
    if not case.sick:
        return Forget("it is healthy again")
    stuck = case.replaceable and case.look.obstacle
    return Rest(LATER, f"it is not replaced: {stuck}" if stuck else "")
