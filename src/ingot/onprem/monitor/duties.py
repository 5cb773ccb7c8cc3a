"""Looking at this node's own servers, and deciding by them what it may do about each VIP."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

from ingot.onprem.files import read_if_there, write_if_changed
from ingot.onprem.handover import BootstrapHealth, HandOver, Stage, after_look
from ingot.onprem.haproxy import API
from ingot.onprem.model import Role, Situation
from ingot.onprem.monitor.asking import LOOPBACK, answers, is_ready
from ingot.onprem.monitor.balancer import Balancer
from ingot.onprem.monitor.options import Options
from ingot.onprem.steady import Steady
from ingot.onprem.vipduty import ApiHealth, Duty, IngressHealth, api_duty, ingress_duty

__all__ = ["BootstrapDuty", "ControlPlaneDuty", "IngressDuty"]

ROUTER_PORT = 1936
IRONIC_PORT = 6385


class ControlPlaneDuty:
    """The API's VIP on the control plane: by this node's own balancer."""

    def __init__(self, balancer: Balancer) -> None:
        self.redirected = False
        """Whether VIP:6443 is led to the balancer; told by who sees to it."""
        self._balancer = balancer

    async def look(self) -> Duty:
        """Return what this node may do now."""
        runs, ready = await self._balancer.look()
        local = not self.redirected and await is_ready(
            LOOPBACK, API.server_port, API.health, tls=True
        )
        return api_duty(
            ApiHealth(
                balancer_runs=runs,
                ready_backends=ready,
                redirected=self.redirected,
                local_ready=local,
            )
        )


class IngressDuty:
    """The ingress VIP: by the router on this node."""

    def __init__(self, role: Role, default_router: str) -> None:
        self._role = role
        self._pattern = default_router
        self._alive = Steady(rise=2, fall=2)
        self._ready = Steady(rise=2, fall=2)
        self._default = Steady(rise=2, fall=4)

    async def look(self) -> Duty:
        """Return what this node may do now."""
        alive = await is_ready(LOOPBACK, ROUTER_PORT, "/healthz")
        ready = alive and await is_ready(LOOPBACK, ROUTER_PORT, "/healthz/ready")
        self._alive = self._alive.after(good=alive)
        self._ready = self._ready.after(good=ready)
        self._default = self._default.after(good=self._finds_default())
        health = IngressHealth(
            alive=self._alive.well, ready=self._ready.well, default=self._default.well
        )
        return ingress_duty(health, self._role)

    def _finds_default(self) -> bool:
        where = Path(self._pattern)
        return any(where.parent.glob(where.name))


class BootstrapDuty:
    """The API's VIP on the bootstrap: by the hand-over rule, remembered over a restart."""

    def __init__(self, options: Options) -> None:
        self._done_file = options.done_file
        self._file = options.folders.state / "handover.json"
        self._memory = HandOver()
        with suppress(ValueError, KeyError, TypeError):
            written = json.loads(read_if_there(self._file) or "")
            if written["stage"] == Stage.HANDED_OVER.value:
                self._memory = HandOver(Stage.HANDED_OVER)
        self._wanted = sum(peer.role is Role.CONTROL_PLANE for peer in options.planned)

    async def look(self, situation: Situation) -> Duty:
        """Return what the bootstrap may do after one more look; they are a second apart."""
        own, provisioning, *nodes = await asyncio.gather(
            is_ready(LOOPBACK, API.server_port, API.health, tls=True),
            answers(IRONIC_PORT, "/v1"),
            *(
                is_ready(peer.addresses[0], API.server_port, API.health, tls=True)
                for peer in situation.control_plane()
                if peer.addresses
            ),
        )
        seen = BootstrapHealth(
            api_ready=own,
            provisioning=provisioning,
            told_done=self._done_file is not None and self._done_file.exists(),
            ready_nodes=sum(nodes),
            wanted_nodes=self._wanted or len(nodes),
        )
        self._memory, duty = after_look(self._memory, seen)
        write_if_changed(self._file, json.dumps({"stage": self._memory.stage.value}))
        return duty
