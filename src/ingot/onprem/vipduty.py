"""Whether a node may hold a VIP, with which priority, and why, in words for people.

Duties are split as the field learnt to split them: keepalived asks only this node's own balancer,
and the balancer asks API servers. Where keepalived judged API servers itself, a VIP flapped while
they were restarted and cut all connections each time (onprem failure modes 11 and 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingot.onprem.files import write_if_changed
from ingot.onprem.model import Role
from ingot.onprem.priority import (
    API_BASE,
    BOOTSTRAP,
    FAULT,
    INGRESS_BASE,
    ApiBonus,
    IngressBonus,
)

__all__ = [
    "ApiHealth",
    "Duty",
    "IngressHealth",
    "api_duty",
    "bootstrap_duty",
    "ingress_duty",
    "write_duty",
]


@dataclass(frozen=True, slots=True)
class Duty:
    """What a node may do about a VIP.

    Attributes:
        base: the priority that keepalived is configured with.
        bonus: what is added, or None where the node may not hold the VIP at all.
        reason: why, as the rest of a sentence that begins with the node's name.
    """

    base: int
    bonus: int | None
    reason: str

    @property
    def may_hold(self) -> bool:
        """Whether the node may hold the VIP."""
        return self.bonus is not None

    @property
    def priority(self) -> int:
        """The priority in effect; 0 where there is none."""
        return 0 if self.bonus is None else self.base + self.bonus

    @property
    def text(self) -> str:
        """What the duty file says."""
        return f"{FAULT if self.bonus is None else self.bonus}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiHealth:
    """What a control-plane node sees of its own way to the API.

    Attributes:
        balancer_runs: its own haproxy is a live process that answers on its socket.
        ready_backends: how many API servers that haproxy has found ready itself.
        redirected: VIP:6443 is led to haproxy.
        local_ready: the node's own API server is ready.
    """

    balancer_runs: bool
    ready_backends: int
    redirected: bool
    local_ready: bool


def api_duty(health: ApiHealth) -> Duty:
    """Return what a control-plane node may do about the API's VIP."""
    if not health.balancer_runs:
        return Duty(API_BASE, None, "has no balancer that runs")
    if health.ready_backends < 1:
        return Duty(API_BASE, None, "has a balancer that finds no API server ready")
    if health.redirected:
        servers = "API server" if health.ready_backends == 1 else "API servers"
        why = f"balances over {health.ready_backends} ready {servers}"
        return Duty(API_BASE, ApiBonus.BALANCED, why)
    if health.local_ready:
        return Duty(API_BASE, ApiBonus.LOCAL, "has no redirect to its balancer, only its own API")
    return Duty(API_BASE, None, "has no redirect to its balancer, and its own API is not ready")


def bootstrap_duty(*, serving: bool, reason: str) -> Duty:
    """Return what the bootstrap may do about the API's VIP: `handover` says which."""
    return Duty(BOOTSTRAP, 0 if serving else None, reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngressHealth:
    """What a node sees of the router on it.

    Attributes:
        alive: `/healthz` at port 1936 answers with 200.
        ready: `/healthz/ready` does; not so while the router is drained.
        default: it is the default router.
    """

    alive: bool
    ready: bool
    default: bool


def ingress_duty(health: IngressHealth, role: Role) -> Duty:
    """Return what a node may do about the ingress VIP.

    A router on the control plane is good enough where none on a worker is as good: that is so
    where there are no workers, and where all of theirs have died.
    """
    if not health.alive:
        return Duty(INGRESS_BASE, None, "has no live router")
    bonus = sum(
        one
        for one, has in (
            (IngressBonus.WORKER, role is Role.WORKER),
            (IngressBonus.READY, health.ready),
            (IngressBonus.DEFAULT, health.default),
        )
        if has
    )
    which = "the default router" if health.default else "a router"
    state = "ready" if health.ready else "being drained"
    where = "" if role is Role.WORKER else ", on the control plane"
    return Duty(INGRESS_BASE, bonus, f"has {which}, {state}{where}")


def write_duty(path: Path, duty: Duty) -> bool:
    """Tell keepalived of a duty, and return whether it is news.

    The file is replaced as a whole: one that is emptied first reads as 0, which is no fault.

    Raises:
        UnwritableError: the file stays as it was.
    """
    return write_if_changed(path, duty.text)
