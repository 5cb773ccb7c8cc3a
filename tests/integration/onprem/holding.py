"""Who holds the API's VIP of three nodes, and for how long it was nobody, or two."""

from __future__ import annotations

from tests.e2e.site import eventually
from tests.integration.onprem.monitored import Monitored
from tests.onprem_site.judging import ADVERT, TICK, Contest, judged
from tests.onprem_site.node import Node
from tests.onprem_site.observation import contested, longest, spans, vacant
from tests.onprem_site.plan import Role
from tests.onprem_site.prober import Prober

__all__ = [
    "ADVERT",
    "LATE",
    "absent",
    "contests",
    "double",
    "holder",
    "moved_from",
    "settled",
    "well",
]

LATE = TICK
"""What is seen later than it is so."""


def settled(found: Monitored) -> bool:
    """Tell whether one node of the control plane holds the VIP, and the others wait for it."""
    nodes = found.site.of(found.cluster.name, Role.CONTROL)
    states = sorted(found.standing(node, found.api_vip).get("state", "") for node in nodes)
    return states == [*["backup"] * (len(nodes) - 1), "master"]


def well(found: Monitored) -> bool:
    """Tell whether it has settled, and every balancer finds every API server ready.

    A balancer needs some looks to find a server again that it could not reach for a while.
    """
    nodes = found.site.of(found.cluster.name, Role.CONTROL)
    ready = [found.status(node).get("balancer", {}).get("ready") for node in nodes]
    return settled(found) and ready == [len(nodes)] * len(nodes)


def holder(trio: Monitored, seen: Prober) -> Node:
    found = eventually(lambda: seen.holders(trio.api_vip) or None, within=30, every=0.02)
    assert len(found) == 1
    return trio.site[next(iter(found))]


def moved_from(trio: Monitored, seen: Prober, old: Node, *, within: float) -> Node:
    """Wait until somebody else alone holds the VIP, and return who.

    Two may reach for it in the same moment, and one of them gives way within an advert: so who
    holds it has to have done so for longer than that.
    """

    def successor() -> Node | None:
        over_time = seen.spans(trio.api_vip)
        if not over_time:
            return None
        last = over_time[-1]
        lasts = len(last.holders) == 1 and last.seconds > ADVERT + LATE
        return trio.site[min(last.holders)] if lasts and old.name not in last.holders else None

    return eventually(successor, within=within, every=0.01)


def contests(trio: Monitored, seen: Prober, since: float) -> list[Contest]:
    """Return when two nodes held the VIP at once, since a moment, and what is to be said of it."""
    looks = [look for look in seen.read() if look.at >= since]
    found = contested(spans(looks, str(trio.api_vip)), trio.faults.splits)
    return judged(found, trio.faults.happened)


def double(trio: Monitored, seen: Prober, since: float) -> float:
    """Return for how long two nodes held the VIP at once, since a moment."""
    looks = [look for look in seen.read() if look.at >= since]
    return longest(contested(spans(looks, str(trio.api_vip)), trio.faults.splits))


def absent(trio: Monitored, seen: Prober, since: float) -> float:
    """Return for how long nobody held the VIP, since a moment."""
    looks = [look for look in seen.read() if look.at >= since]
    return longest(vacant(spans(looks, str(trio.api_vip))))
