"""Which Machines are unhealthy, and whose healing may begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeSeen

__all__ = [
    "Budget",
    "Health",
    "Healthy",
    "Limits",
    "Patient",
    "Unhealthy",
    "allowed_unhealthy",
    "begin",
    "health",
]

_FAILED: Final = "Failed"


@dataclass(frozen=True, slots=True)
class Limits:
    """For how long things may be bad.

    Attributes:
        conditions: by type and status of a Node's condition.
        startup: from the writing of an image to a Node; None for any time.
    """

    conditions: Mapping[tuple[str, str], timedelta]
    startup: timedelta | None


@dataclass(frozen=True, slots=True)
class Healthy:
    """Nothing is wrong; or something is, and not for long enough.

    Attributes:
        until: when it would be; None if nothing is wrong.
    """

    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unhealthy:
    """Something is wrong.

    Attributes:
        why: a sentence.
        since: when it was so for long enough, the earliest first to be healed.
    """

    why: str
    since: datetime


Health: TypeAlias = Healthy | Unhealthy


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """A Machine that is watched over.

    Attributes:
        healing: whether it is being healed already.
        held_back: why its healing must not begin; "" if it may.
        hostless: whether it has no host, or one that is being deleted: no healing would help it.
        lost: whether it never has a host again.
        stranded: why nothing could take its place, though its healing has failed; "" otherwise.
    """

    machine: MachineSeen
    health: Health
    healing: bool = False
    held_back: str = ""
    hostless: bool = False
    lost: bool = False
    stranded: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is one of those of which there may be too many.

        What has no host is known to be so, and tells nothing of what the others suffer from.
        """
        return not self.hostless and (self.healing or isinstance(self.health, Unhealthy))


def health(
    machine: MachineSeen,
    host: HostSeen | None,
    node: NodeSeen | None,
    *,
    limits: Limits,
    now: datetime,
) -> Health:
    """Return how a Machine fares.

    A Machine that waits for a host, or whose host is being installed, is not sick: how long that
    takes is nobody's fault here, and another Machine would have to wait too.
    """
    if machine.phase == _FAILED and not machine.node:
        told = f"it has failed: {machine.error}" if machine.error else "it has failed"
        return Unhealthy(told, since=machine.unclaimed_since or machine.created or now)
    if not machine.node:
        return _starting(host, limits=limits, now=now)
    if node is None:
        return Unhealthy(f"its Node {machine.node} is gone", since=now)
    return _by_conditions(node, limits=limits, now=now)


def _starting(host: HostSeen | None, *, limits: Limits, now: datetime) -> Health:
    if limits.startup is None or host is None or not host.in_use or host.provisioned_at is None:
        return Healthy()
    until = host.provisioned_at + limits.startup
    if now < until:
        return Healthy(until)
    return Unhealthy(f"it has become no Node within {limits.startup} of being installed", until)


def _by_conditions(node: NodeSeen, *, limits: Limits, now: datetime) -> Health:
    soonest: datetime | None = None
    for (kind, status), patience in limits.conditions.items():
        found = node.conditions.get(kind)
        if found is None or found.status != status:
            continue
        until = (found.since or now) + patience
        if until <= now:
            since = found.since or now
            return Unhealthy(f"condition {kind} of its Node is {status} since {since}", until)
        soonest = min(until, soonest or until)
    return Healthy(soonest)


def allowed_unhealthy(most: int | str, total: int) -> int:
    """Return how many Machines may be unhealthy; a share is rounded down, but not to nothing.

    Upstream rounds down to nothing: with its usual 40 % one of two workers is never healed.
    """
    text = str(most)
    if not text.endswith("%"):
        return int(text)
    share = int(text[:-1])
    return max(total * share // 100, 1 if share else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much may be healed.

    Attributes:
        most_unhealthy: with more, nothing is begun.
        at_once: healings at once.
        control_plane_busy: whether one of the control plane is being healed, here or elsewhere.
    """

    most_unhealthy: int
    at_once: int
    control_plane_busy: bool = False

    def exceeded_by(self, patients: Iterable[Patient]) -> int:
        """Return how many Machines are unhealthy if that is too many, else 0."""
        sick = sum(1 for one in patients if one.counts)
        return sick if sick > self.most_unhealthy else 0


def begin(patients: Sequence[Patient], budget: Budget) -> list[MachineSeen]:
    """Return the Machines whose healing begins now: who is sick for longest first, then by name."""
    if budget.exceeded_by(patients):
        return []
    room = budget.at_once - sum(1 for one in patients if one.healing)
    control_plane_busy = budget.control_plane_busy
    chosen: list[MachineSeen] = []
    for one in sorted(patients, key=_place):
        if len(chosen) >= room:
            break
        if one.healing or one.held_back or not isinstance(one.health, Unhealthy):
            continue
        if one.machine.is_control_plane:
            if control_plane_busy:
                continue
            control_plane_busy = True
        chosen.append(one.machine)
    return chosen


def _place(patient: Patient) -> tuple[float, str]:
    since = patient.health.since.timestamp() if isinstance(patient.health, Unhealthy) else 0.0
    return since, str(patient.machine.key)
