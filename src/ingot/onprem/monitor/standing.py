"""How this node stands with each VIP: what keepalived says, what is heard, and why it changed.

keepalived tells that it has become something, never why. The reason is put together from what this
node knows at that moment: its own duty, and the last advert that it heard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from ingot.onprem.model import Address, VipKind
from ingot.onprem.vipduty import Duty

__all__ = [
    "Heard",
    "Notification",
    "Standing",
    "State",
    "View",
    "after_notification",
    "holder_of",
    "read_notification",
]

FRESH_SECONDS = 1.0
"""Who was heard within this time holds the VIP: adverts come ten times a second."""

AT_ONCE = FRESH_SECONDS / 2
"""Nobody is missed as soon as this: who was heard since has reached for the VIP too."""

CARD_DOWN = "its network card is down, or its own address is gone"

LINE = re.compile(r'^INSTANCE "([^"]+)" ([A-Z]+)(_[A-Z_]+)? (\d+)$')


class State(StrEnum):
    """What keepalived is for a VIP."""

    UNKNOWN = "unknown"
    FAULT = "fault"
    BACKUP = "backup"
    MASTER = "master"
    STOPPED = "stopped"


WORDS = {
    "MASTER": State.MASTER,
    "BACKUP": State.BACKUP,
    "FAULT": State.FAULT,
    "STOP": State.STOPPED,
    "DELETED": State.STOPPED,
}


@dataclass(frozen=True, slots=True)
class Notification:
    """What keepalived has said: a state, or only a priority."""

    instance: str
    state: State
    priority: int


@dataclass(frozen=True, slots=True)
class Heard:
    """The last advert of somebody else about a VIP."""

    source: Address
    priority: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How this node stands with a VIP.

    Attributes:
        instance: keepalived's name for it.
        kind: what the VIP is for.
        vip: the address.
        state: what keepalived is.
        priority: the one in effect, as keepalived said last.
        since: when the state was entered, in seconds since 1970; 0 where it never was.
        cause: why it was entered.
        transitions: how often the VIP came to this node or left it.
    """

    instance: str
    kind: VipKind
    vip: Address
    state: State = State.UNKNOWN
    priority: int = 0
    since: float = 0.0
    cause: str = "keepalived has not said anything yet"
    transitions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a node knows when something changes.

    Attributes:
        duty: its own for this kind of VIP.
        heard: the last advert of another node.
        earlier: the last one of whoever was heard before that node.
        names: nodes by address.
        now: in seconds of the monotonic clock.
        reason: what was done to keepalived, where that is the reason.
    """

    duty: Duty | None
    heard: Heard | None
    names: Mapping[Address, str]
    now: float
    reason: str = ""
    earlier: Heard | None = None


def read_notification(line: str) -> Notification | None:
    """Return what a line from keepalived's pipe says, or None where it is about something else."""
    found = LINE.match(line.strip())
    if found is None or found[2] not in WORDS:
        return None
    return Notification(found[1], WORDS[found[2]], int(found[4]))


def after_notification(
    before: Standing, said: Notification, view: View, *, clock: float
) -> Standing:
    """Return how this node stands after keepalived has said something.

    Args:
        before: how it stood.
        said: what keepalived said.
        view: what else is known.
        clock: seconds since 1970.
    """
    if said.state is before.state:
        return replace(before, priority=said.priority)
    moved = State.MASTER in {before.state, said.state}
    return replace(
        before,
        state=said.state,
        priority=said.priority,
        since=clock,
        cause=view.reason or _cause(before.state, said, view),
        transitions=before.transitions + moved,
    )


def _cause(was: State, said: Notification, view: View) -> str:
    duty, heard = view.duty, view.heard
    if said.state is State.MASTER:
        return _cause_of_gain(said, view)
    if said.state is State.STOPPED:
        return "keepalived was stopped"
    if said.state is State.FAULT:
        forbidden = duty is not None and not duty.may_hold
        return f"this node {duty.reason}" if forbidden and duty else CARD_DOWN
    if was is State.MASTER and heard is not None:
        who = _name(heard, view)
        return f"{who} has priority {heard.priority}, and this node {said.priority}"
    if duty is not None and duty.may_hold:
        return f"this node may hold it: it {duty.reason}"
    return "keepalived has begun to listen"


def _cause_of_gain(said: Notification, view: View) -> str:
    """Return why this node holds a VIP now.

    Nodes of the same priority that miss a holder reach for its VIP in the same moment. One of them
    gives way at once; until then each may have heard the other, who is not the reason.
    """
    heard, rival = view.heard, ""
    if heard is not None and heard.priority >= said.priority and _silent(heard, view) < AT_ONCE:
        rival = f", and {_name(heard, view)} reached for it in the same moment"
        heard = view.earlier
    return _cause_of_want(heard, said, view) + rival


def _cause_of_want(heard: Heard | None, said: Notification, view: View) -> str:
    if heard is None:
        return "nobody else was heard"
    if heard.priority == 0:
        return f"{_name(heard, view)} gave it up"
    silent = _silent(heard, view)
    if heard.priority < said.priority and silent < AT_ONCE:
        who = _name(heard, view)
        return f"this node has priority {said.priority}, and {who} only {heard.priority}"
    return f"{_name(heard, view)} has not been heard for {silent:.1f} s"


def _name(heard: Heard, view: View) -> str:
    return view.names.get(heard.source, str(heard.source))


def _silent(heard: Heard, view: View) -> float:
    return view.now - heard.at


def holder_of(standing: Standing, own_name: str, view: View) -> str:
    """Return the name of the node that holds a VIP by what is known here; "" for nobody."""
    if standing.state is State.MASTER:
        return own_name
    heard = view.heard
    if heard is None or heard.priority == 0 or _silent(heard, view) > FRESH_SECONDS:
        return ""
    return _name(heard, view)
