"""Why a server that was provisioned is no Node yet, by what the config server knows. Pure.

An image that does not boot, a pointer with another token, a clock that is a day off: none of them
passes by itself, and none says anything of its own. What is told here is what can be known from
afar, and from when on waiting longer makes no sense.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ingot.configserver.visits import Visits
from ingot.node.bootstrap.problem import NeedsAPersonError

__all__ = ["Absence", "AbsentError", "Known", "absence", "absent"]

UNHEARD_FOR: Final = timedelta(minutes=8)
"""So long a server may take from its disk to its first question: some test their memory for minutes
whenever they start. It is a guess, not a measurement."""

REFUSED_FOR: Final = timedelta(minutes=2)
"""Ignition asks about every ten seconds; a config server whose list of hosts is being replaced, and
so refuses those whom it will know, does not do that for minutes."""

GOING_ON: Final = timedelta(minutes=1)
"""Who was refused longer ago than this has stopped asking: it may be booting anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """All that is known of a server without a Node.

    Attributes:
        name: the server's.
        visits: what it did at the config server.
        began: when its provisioning began; what is older is of an earlier life.
        provisioned: when that ended.
        clock_fails: what it reported of its clock, where that cannot be set.
        reported_at: when it last reported.
    """

    name: str
    visits: Visits
    began: datetime | None = None
    provisioned: datetime | None = None
    clock_fails: str = ""
    reported_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Why a server is no Node yet.

    Attributes:
        name: the server's.
        seen: in words that go on from its name.
        remedy: what a person has to do; empty while it may come by itself.
    """

    name: str
    seen: str
    remedy: str = ""


class AbsentError(NeedsAPersonError):
    """Servers that will not become Nodes by themselves."""

    def __init__(self, absences: Iterable[Absence]) -> None:
        stuck = tuple(absences)
        remedies = dict.fromkeys(one.remedy for one in stuck)
        super().__init__(
            "; ".join(f"host {one.name} {one.seen}" for one in stuck),
            remedy="; ".join((*remedies, "then run `ingot create cluster` again: it goes on")),
        )


def absent(known: Iterable[Known], *, now: datetime) -> tuple[Absence, ...]:
    """Return why servers are no Nodes yet.

    Raises:
        AbsentError: some of them will not be without a person.
    """
    found = tuple(absence(one, now=now) for one in known)
    if stuck := [one for one in found if one.remedy]:
        raise AbsentError(stuck)
    return found


def absence(known: Known, *, now: datetime) -> Absence:
    """Return why a server is no Node yet."""
    name, visits = known.name, known.visits
    if known.clock_fails and _is_of_now(known.reported_at, known):
        return Absence(
            name=name,
            seen=f"cannot join: {known.clock_fails}",
            remedy=f"give {name} a time source that it can reach, in additionalNTPServers, or set "
            "the clock in its firmware",
        )
    granted = _moment(visits.granted_at)
    if granted is not None and _is_of_now(granted, known):
        return Absence(name=name, seen=f"fetched its config at {granted:%H:%M:%S} UTC")
    if visits.refusals and _is_of_now(_moment(visits.refused_at), known):
        return _refused(visits, now)
    return _unheard(known, now)


def _refused(visits: Visits, now: datetime) -> Absence:
    asked = f"asked for its config {visits.refused_why}"
    since, last = _moment(visits.refused_since), _moment(visits.refused_at)
    lasts = since is not None and last is not None and last - since >= REFUSED_FOR
    if not lasts or last is None or now - last > GOING_ON:
        seen = f"{asked}, from {visits.refused_from}, and was refused ({visits.refusals} times)"
        return Absence(name=visits.host, seen=seen)
    return Absence(
        name=visits.host,
        seen=f"{asked}, from {visits.refused_from}, and was refused for "
        f"{_minutes(REFUSED_FOR)} minutes",
        remedy=f"see that hosts/{visits.host}.ign is the one that bootstrap.ign was made with: "
        "`ingot destroy cluster` and make both anew",
    )


def _unheard(known: Known, now: datetime) -> Absence:
    if known.provisioned is None:
        return Absence(name=known.name, seen="has not asked for its config yet")
    since = now - known.provisioned
    if since < UNHEARD_FOR:
        return Absence(
            name=known.name,
            seen=f"has not asked for its config since it was provisioned {_minutes(since)} min ago "
            "(does its image boot? see its console)",
        )
    return Absence(
        name=known.name,
        seen=f"was provisioned and has not asked for its config within {_minutes(UNHEARD_FOR)} "
        "minutes: its image does not boot, it does not reach the API VIP, or its clock is off by "
        "more than two days",
        remedy=f"look at the console of {known.name}; see that it boots from the disk that was "
        "written, and that its network reaches port 22623 of the API VIP",
    )


def _is_of_now(moment: datetime | None, known: Known) -> bool:
    """Tell whether something happened since the server was last provisioned."""
    return moment is not None and (known.began is None or moment >= known.began)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _minutes(length: timedelta) -> int:
    return int(length.total_seconds() // 60)
