"""When the bootstrap gives up the API's VIP, and when it takes it back.

It holds the VIP from its first second, through every blip of its API. It gives it up in two cases:

* It was told that its work is done, and control-plane nodes are ready to serve. Then it does so at
  once, whether or not Ironic still answers: with nothing left to provision, that it does means only
  that it has not been stopped yet.
* Its API was ready once and now has not been for fifteen looks, a second apart, nothing is
  provisioned from it any more, and control-plane nodes are ready to serve. The field's rule, which
  catches every way of being stopped, has five looks and no thought of the nodes. While nodes join,
  a busy machine answers nobody for seconds; by that rule the VIP then went to a node whose API
  server had just begun, or to nobody.

It takes the VIP back when its API is ready again and either provisioning has begun again or, for as
many looks, no control-plane node is ready: then nobody else serves the VIP.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from ingot.onprem.vipduty import Duty, bootstrap_duty

__all__ = [
    "LOOKS",
    "LOOKS_WITHOUT_API",
    "READY_NODES",
    "BootstrapHealth",
    "HandOver",
    "Stage",
    "after_look",
]

LOOKS = 5
"""How often in a row a control plane that is not there has to be seen; looks are a second apart."""

LOOKS_WITHOUT_API = 15
"""How often in a row the bootstrap's own API has to be missing, where nobody said it is done."""

READY_NODES = 2
"""A control plane that may be left alone: it goes on when one of them fails."""


class Stage(StrEnum):
    """How far the bootstrap is."""

    STARTING = "starting"
    SERVING = "serving"
    HANDED_OVER = "handed over"


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapHealth:
    """What the bootstrap sees in one look.

    Attributes:
        api_ready: its own API server's `/readyz` answers with 200.
        provisioning: Ironic on it answers at all, whatever it says.
        told_done: the bootstrap's own state machine says that its work is done.
        ready_nodes: how many control-plane nodes have an API server that is ready.
        wanted_nodes: how many of them the cluster will have.
    """

    api_ready: bool
    provisioning: bool
    told_done: bool = False
    ready_nodes: int = 0
    wanted_nodes: int = 3


@dataclass(frozen=True, slots=True)
class HandOver:
    """What the bootstrap remembers between looks.

    Attributes:
        stage: how far it is.
        looks: how often in a row it has seen a reason to go on to the next.
    """

    stage: Stage = Stage.STARTING
    looks: int = 0

    @property
    def serving(self) -> bool:
        """Whether the bootstrap is to hold the VIP."""
        return self.stage is not Stage.HANDED_OVER


def after_look(memory: HandOver, seen: BootstrapHealth) -> tuple[HandOver, Duty]:
    """Return what is remembered after one more look, and what follows for the VIP."""
    if memory.stage is Stage.HANDED_OVER:
        memory, why = _handed_over(memory, seen)
    else:
        memory, why = _holding(memory, seen)
    return memory, bootstrap_duty(serving=memory.serving, reason=why)


def _holding(memory: HandOver, seen: BootstrapHealth) -> tuple[HandOver, str]:
    if seen.told_done and _can_stand_alone(seen):
        why = f"has done its work, and {seen.ready_nodes} control-plane nodes are ready"
        return HandOver(Stage.HANDED_OVER), why
    if seen.api_ready:
        return HandOver(Stage.SERVING), "serves the API of the bootstrap"
    if memory.stage is Stage.STARTING:
        return memory, "holds it until its API has started"
    if seen.provisioning or not _can_stand_alone(seen):
        needed = "provisioning is under way" if seen.provisioning else "too few nodes are ready"
        return replace(memory, looks=0), f"keeps it while {needed}"
    looks = memory.looks + 1
    if looks >= LOOKS_WITHOUT_API:
        return HandOver(Stage.HANDED_OVER), "has no API and provisions nothing any more"
    return replace(
        memory, looks=looks
    ), f"keeps it: its API was missing in {looks} of {LOOKS_WITHOUT_API} looks"


def _can_stand_alone(seen: BootstrapHealth) -> bool:
    return seen.ready_nodes >= max(1, min(READY_NODES, seen.wanted_nodes))


def _handed_over(memory: HandOver, seen: BootstrapHealth) -> tuple[HandOver, str]:
    if seen.api_ready and seen.provisioning and not seen.told_done:
        return HandOver(Stage.SERVING), "takes it back: provisioning has begun again"
    if seen.api_ready and seen.ready_nodes == 0:
        looks = memory.looks + 1
        if looks >= LOOKS:
            return HandOver(Stage.SERVING), "takes it back: no control-plane node is ready"
        return replace(memory, looks=looks), "has handed it over, and finds nobody ready to serve"
    return replace(memory, looks=0), "has handed it over to the control plane"
