"""What goes wrong, for whom, when that is over, and how it is mended before the next time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.bench.onprem_sides import Ours, Side
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Address, Plan, Role
from tests.onprem_site.servers import start

KUBELET_SECONDS: Final = 1.0
"""After this a kubelet has started again what has died for the first time, at the earliest: it
looks once a second, and a container has to be made too. The next time it waits for ten more."""

API: Final = Plan(bootstrap=False, control=3, workers=0)
INGRESS: Final = Plan(bootstrap=False, control=1, workers=2)


@dataclass(frozen=True, slots=True)
class Moment:
    """Who there is when it goes wrong.

    Attributes:
        side: one of the two.
        holder: who holds the VIP.
        other: somebody else who could.
    """

    side: Side
    holder: Node
    other: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing that goes wrong.

    Attributes:
        name: what it is called on the command line.
        what: what it is called in a table.
        strike: lets it go wrong.
        is_over: whether nothing more will happen, by who holds the VIP now.
        mend: starts again what has ended.
        phase: seconds of the longest interval in which upstream looks, over which strikes are
            spread evenly.
        lanes: how many upstream clusters are struck at the same time.
        plan: who is at the site.
    """

    name: str
    what: str
    strike: Callable[[Moment], None]
    is_over: Callable[[Moment, Node], bool]
    mend: Callable[[Moment], None]
    phase: float
    lanes: int = 2
    plan: Plan = API

    @property
    def is_ingress(self) -> bool:
        return self.plan is INGRESS

    def vip(self, side: Side) -> Address:
        """Return the address that clients ask."""
        return side.bed.ingress_vip if self.is_ingress else side.bed.api_vip

    def candidates(self, side: Side) -> tuple[Node, ...]:
        """Return who could hold it."""
        role = Role.WORKER if self.is_ingress else Role.CONTROL
        return side.bed.site.of(side.bed.cluster.name, role)


def _crash(at: Moment) -> None:
    at.side.bed.faults.power_off(at.holder.name)


def _crash_is_over(at: Moment, now: Node) -> bool:
    return now is not at.holder and at.holder.name not in at.side.ready(now)


def _power_on(at: Moment) -> None:
    at.side.bed.faults.power_on(at.holder.name)
    at.side.bed.serve(at.holder)
    at.side.run(at.holder)
    at.side.hasten()


def _stop(at: Moment) -> None:
    at.side.stop(at.holder)


def _has_moved(at: Moment, now: Node) -> bool:
    return now is not at.holder


def _run(at: Moment) -> None:
    at.side.run(at.holder)


def _kill_api(at: Moment) -> None:
    at.side.bed.api[at.other.name].kill()


def _api_is_left_out(at: Moment, now: Node) -> bool:
    return at.other.name not in at.side.ready(now)


def _serve(at: Moment) -> None:
    at.side.bed.serve(at.other)
    at.side.hasten()


def _kill_own_api(at: Moment) -> None:
    at.side.bed.api[at.holder.name].kill()


def _own_api_is_left_out(at: Moment, now: Node) -> bool:
    return at.holder.name not in at.side.ready(now)


def _serve_own(at: Moment) -> None:
    at.side.bed.serve(at.holder)
    at.side.hasten()


def _kill_balancer(at: Moment) -> None:
    at.side.bed.faults.kill(at.holder.name, "haproxy")


def _restart_balancer(at: Moment) -> None:
    at.side.restart_balancer(at.holder)


def _kill_balancer_for_a_second(at: Moment) -> None:
    _kill_balancer(at)
    if not isinstance(at.side, Ours):  # which has its own way, without a kubelet
        time.sleep(KUBELET_SECONDS)
        at.side.restart_balancer(at.holder)


def _balancer_is_back(at: Moment, now: Node) -> bool:
    return bool(at.side.ready(now))


def _nothing(at: Moment) -> None:
    del at


def _kill_router(at: Moment) -> None:
    at.side.routers[at.holder.name].kill()


def _start_router(at: Moment) -> None:
    start(at.side.routers[at.holder.name])


CASES: Final = (
    Case(
        name="holder-crash",
        what="crash of the holder",
        strike=_crash,
        is_over=_crash_is_over,
        mend=_power_on,
        phase=5,
        lanes=4,
    ),
    Case(
        name="graceful-stop",
        what="graceful stop of the holder",
        strike=_stop,
        is_over=_has_moved,
        mend=_run,
        phase=1,
    ),
    Case(
        name="api-death",
        what="death of an API server",
        strike=_kill_api,
        is_over=_api_is_left_out,
        mend=_serve,
        phase=5,
    ),
    Case(
        name="api-death-on-holder",
        what="death of the holder's API server",
        strike=_kill_own_api,
        is_over=_own_api_is_left_out,
        mend=_serve_own,
        phase=5,
    ),
    Case(
        name="balancer-death",
        what="death of the holder's balancer",
        strike=_kill_balancer,
        is_over=_has_moved,
        mend=_restart_balancer,
        phase=2,
    ),
    Case(
        name="balancer-restart",
        what="the same, upstream's back after 1 s",
        strike=_kill_balancer_for_a_second,
        is_over=_balancer_is_back,
        mend=_nothing,
        phase=2,
    ),
    Case(
        name="router-death",
        what="death of the holder's ingress router",
        strike=_kill_router,
        is_over=_has_moved,
        mend=_start_router,
        phase=1,
        plan=INGRESS,
    ),
)
