"""When the control plane may be left alone: the gate of the hand-over, as a pure decision.

A node stands when it is Ready, its etcd member has a vote and is healthy, and an API server answers
as ready both by itself and through that node's own balancer. All have to have joined, and two of
them to have stood for half a minute without a break (onprem failure mode 10: with one, a VIP had no
valid target). Of a control plane of one, that one. The last one to come keeps all of them busy for
a while, and so does what has to be done in the cluster before it is left alone, such as copying
gigabytes of images: when all are there and all of that is done, it has to have been so for some
seconds too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["STANDING_SECONDS", "Gate", "Standing", "after_look", "are_there"]

STANDING_SECONDS = 30.0
SETTLING_SECONDS = 10.0
FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is seen of one control-plane node.

    Attributes:
        name: the node's.
        joined: it is a Node of the cluster.
        ready: its Node is Ready.
        votes: its etcd member has a vote, and is healthy.
        serves: its API server is ready.
        balances: an API server is ready through its balancer.
        reported: what it said last of its joining, if it failed.
        absent: why it has no Node, in words that go on from its name.
    """

    name: str
    joined: bool = False
    ready: bool = False
    votes: bool = False
    serves: bool = False
    balances: bool = False
    reported: str = ""
    absent: str = ""

    @property
    def stands(self) -> bool:
        """Whether it could carry the cluster."""
        return self.joined and self.votes and self.serves and self.balances

    @property
    def lacks(self) -> str:
        """What it waits for, in words; empty when there is nothing."""
        wanted = {
            "its Node": self.joined,
            "a healthy etcd member with a vote": self.votes,
            "a ready API server": self.serves,
            "a balancer": self.balances,
            "its Node to be Ready": self.ready,
        }
        missing = [what for what, there in wanted.items() if not there]
        return missing[0] if missing else ""


@dataclass(frozen=True, slots=True)
class Gate:
    """What is remembered between looks.

    Attributes:
        since: since when enough nodes stand; None while they do not.
        whole: since when all are there, enough of them stand, and nothing is left to be done; None
            while that is not so.
        open: whether the hand-over may begin.
        text: how things are, in words.
    """

    since: float | None = None
    whole: float | None = None
    open: bool = False
    text: str = ""


def are_there(nodes: Sequence[Standing]) -> bool:
    """Tell whether all have joined, and enough of them stand."""
    return _enough_stand(nodes) and all(one.joined and one.votes and one.ready for one in nodes)


def _enough_stand(nodes: Sequence[Standing]) -> bool:
    return sum(one.stands for one in nodes) >= min(FEWEST, len(nodes))


def after_look(gate: Gate, nodes: Iterable[Standing], *, now: float, unfinished: str = "") -> Gate:
    """Return the gate after one more look.

    Args:
        gate: what was remembered.
        nodes: what is seen of the control plane.
        now: in seconds of the monotonic clock.
        unfinished: what the cluster still has to have before it is left alone, in words.
    """
    seen = tuple(nodes)
    waiting = [f"{one.name} {one.absent or f'waits for {one.lacks}'}" for one in seen if one.lacks]
    if not _enough_stand(seen):
        return Gate(text="; ".join(waiting))
    since = now if gate.since is None else gate.since
    if not are_there(seen):
        return Gate(since, text="; ".join(waiting))
    if unfinished:
        return Gate(since, text=f"waiting for {unfinished}")
    whole = now if gate.whole is None else gate.whole
    left = max(STANDING_SECONDS - (now - since), SETTLING_SECONDS - (now - whole))
    text = f"{sum(one.stands for one in seen)} of {len(seen)} stand"
    if left > 0:
        return Gate(since, whole, text=f"{text}: {left:.0f} s more")
    return Gate(since, whole, open=True, text=text)
