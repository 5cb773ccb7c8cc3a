"""The monitor itself: what it looks at, how often, and in which order it begins and ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingot.onprem import redirect
from ingot.onprem.files import read_if_there, write_if_changed
from ingot.onprem.haproxy import API, haproxy_of
from ingot.onprem.interfaces import read_addresses
from ingot.onprem.keepalived import keepalived_of
from ingot.onprem.model import Address, Family, Role, Situation, VipKind, family_of
from ingot.onprem.monitor.addressing import choose_address
from ingot.onprem.monitor.admission import Admission
from ingot.onprem.monitor.balancer import Balancer
from ingot.onprem.monitor.child import adopt_orphans
from ingot.onprem.monitor.clearing import alone, clear_remains
from ingot.onprem.monitor.duties import BootstrapDuty, ControlPlaneDuty, IngressDuty
from ingot.onprem.monitor.names import Names
from ingot.onprem.monitor.neighbours import ask_soon
from ingot.onprem.monitor.options import Options
from ingot.onprem.monitor.problems import Problems
from ingot.onprem.monitor.status import status_of
from ingot.onprem.monitor.statussocket import SOCKET_NAME, told_at
from ingot.onprem.monitor.vips import Vips
from ingot.onprem.nodeaddress import Choice
from ingot.onprem.peers import observe, remembered, to_json
from ingot.onprem.vipduty import Duty
from ingot.process import CommandFailed

if TYPE_CHECKING:
    from ingot.onprem.monitor.nodewatch import NodeWatch

__all__ = ["Monitor"]

log = logging.getLogger(__name__)

ROUTER_SECONDS = 0.25
BALANCER_SECONDS = 0.5
"""How often this node looks at its own servers; the end of a child is known without looking."""

HANDOVER_SECONDS = 1.0
REFRESH_SECONDS = 1.0
REDIRECT_SECONDS = 3.0
URGENCY_SECONDS = 1.0
ADDRESS_SECONDS = 5.0


class Monitor:
    """One node's monitor.

    Attributes:
        options: what it was told.
        vips: its part in holding VIPs.
        balancer: haproxy, where there is one.
        names: DNS.
        admission: which VIPs it may speak about.
        listed: whom keepalived tells of each VIP, or will where it may not speak of it yet.
        peers: the nodes it believes in.
        problems: what is wrong now.
        situation: what everything was last rendered from.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.vips = Vips(options)
        self.balancer = Balancer(options)
        self.names = Names(options)
        self.admission = Admission(options, self.vips.ears)
        self.listed: dict[Address, tuple[Address, ...]] = {}
        self.problems = Problems()
        self.situation: Situation | None = None
        self.nodes: NodeWatch | None = None
        self._peers_file = options.folders.state / "peers.json"
        self.peers = remembered(read_if_there(self._peers_file), options.planned)
        self._choice: Choice | None = None
        self._chosen_at = 0.0
        self._redirected = False
        self._known = asyncio.Event()
        self._never = asyncio.Event()
        self._control_plane = ControlPlaneDuty(self.balancer)

    @property
    def redirected(self) -> bool:
        """Whether VIP:6443 is led to this node's balancer."""
        return self._redirected

    async def run(self, stop: asyncio.Event) -> None:
        """Look after the node until told to stop; then give up its VIPs first.

        Raises:
            AlreadyRunningError: another monitor does.
            UnwritableError: a folder cannot be made.
        """
        adopt_orphans()
        with alone(self.options.folders):
            await asyncio.to_thread(clear_remains, self.options.folders, self.vips.vips)
            daemons = (self.vips.daemon, self.balancer.daemon, self.names.daemon)
            keepers = [asyncio.create_task(one.run()) for one in daemons]
            keepers.append(asyncio.create_task(self.vips.guard()))
            loops = [asyncio.create_task(work) for work in self._loops()]
            told = asyncio.create_task(stop.wait())
            try:
                await asyncio.wait({told, *keepers, *loops}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await _cancelled(told, *loops)
                await self._shut_down()
                await _cancelled(*keepers)
            for task in (*keepers, *loops):
                if not task.cancelled():
                    task.result()

    def _loops(self) -> list[Coroutine[Any, Any, None]]:
        options = self.options
        found = [self._every(REFRESH_SECONDS, "configuration", self._refresh), self._serve()]
        if options.kubeconfig is not None:
            found.append(self._watch_nodes(options.kubeconfig))
        if options.cluster.user_managed_balancer:
            return found
        found.append(self._every(URGENCY_SECONDS, "real time", self.vips.hasten))
        if options.role is Role.BOOTSTRAP:
            bootstrap = BootstrapDuty(options)
            found.append(self._duty(VipKind.API, bootstrap.look, HANDOVER_SECONDS))
            return found
        ingress = IngressDuty(options.role, options.default_router)
        found.append(self._duty(VipKind.INGRESS, lambda _: ingress.look(), ROUTER_SECONDS))
        if options.role is Role.CONTROL_PLANE:
            api = self._control_plane
            found.append(self._duty(VipKind.API, lambda _: api.look(), BALANCER_SECONDS))
            found.append(self._every(REDIRECT_SECONDS, "redirect", self._redirect))
        return found

    async def _every(self, seconds: float, part: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            with self.problems.of(part):
                await work()
            await asyncio.sleep(seconds)

    async def _duty(
        self, kind: VipKind, look: Callable[[Situation], Awaitable[Duty]], seconds: float
    ) -> None:
        """Decide what this node may do about a VIP, again and again, and at once when woken."""
        await self._known.wait()
        while True:
            if self.situation is not None:
                with self.problems.of(f"{kind.value} duty"):
                    self.vips.decide(kind, await look(self.situation))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._fallen(kind).wait(), seconds)
                self._fallen(kind).clear()

    def _fallen(self, kind: VipKind) -> asyncio.Event:
        return self.balancer.fallen if kind is VipKind.API else self._never

    async def _refresh(self) -> None:
        """Render everything anew from what is known, and apply what has changed."""
        own = (await self._own()).own
        self._observe()
        situation = Situation(
            cluster=self.options.cluster,
            name=self.options.name,
            role=self.options.role,
            own=own,
            peers=self.peers.nodes,
        )
        self.situation = situation
        self._known.set()
        with self.problems.of("haproxy"):
            socket = self.balancer.socket_path
            await self.balancer.apply(haproxy_of(situation, socket=socket))
        with self.problems.of("keepalived"):
            await self._apply_vips(situation)
        with self.problems.of("coredns"):
            await self.names.apply(situation)

    async def _own(self) -> Choice:
        """Return this node's own addresses; looked at now and then, since they may be lost."""
        now = asyncio.get_running_loop().time()
        if self._choice is None or now - self._chosen_at > ADDRESS_SECONDS:
            known = self._choice
            addresses = await asyncio.to_thread(read_addresses)
            self._choice = await asyncio.to_thread(choose_address, self.options, addresses)
            await self.vips.compare(addresses)
            self._chosen_at = now
            if known is None or known.own != self._choice.own:
                log.info("this node's address: %s", self._choice.reason)
                with self.problems.of("neighbours"):
                    ask_soon(self._choice.own)
        return self._choice

    def _observe(self) -> None:
        if self.nodes is None:
            return
        before = self.peers
        self.peers = observe(before, self.nodes.nodes())
        if self.peers.nodes != before.nodes:
            names = ", ".join(peer.name for peer in self.peers.nodes)
            log.info("peers: %s (%s)", names, self.peers.reason)
        with self.problems.of("memory of peers"):
            write_if_changed(self._peers_file, to_json(self.peers))

    async def _apply_vips(self, situation: Situation) -> None:
        wanted = keepalived_of(situation, run=self.options.folders.run)
        listed = self.options.role is Role.BOOTSTRAP or self.peers.is_listed(self.options.name)
        if wanted is None or not listed:
            await self.vips.apply(situation, None)
            self.admission.leave()
            self.listed = {}
            return
        await self.vips.apply(situation, await self.admission.admitted(wanted))
        self.listed = {one.vip: one.peers for one in wanted.instances}

    async def _redirect(self) -> None:
        """Lead the VIP to the balancer, whoever holds it; see `ingot.onprem.redirect`."""
        await self._known.wait()
        if self.situation is None:
            return
        wanted = redirect.redirect_of(self.situation)
        try:
            changed = await asyncio.to_thread(redirect.ensure, wanted)
        except CommandFailed:
            self._control_plane.redirected = self._redirected = False
            raise
        if changed and self._redirected:
            log.warning("the redirect to the balancer was not as it should be, and is again")
        self._control_plane.redirected = self._redirected = True

    async def _watch_nodes(self, kubeconfig: Path) -> None:
        module = await asyncio.to_thread(import_module, "ingot.onprem.monitor.nodewatch")
        await self._known.wait()
        vips = self.options.cluster.all_vips
        self.nodes = watch = module.NodeWatch(kubeconfig, self._api_servers(), vips)
        await watch.run()

    def _api_servers(self) -> tuple[str, ...]:
        """Return where to ask for Nodes; "" is the kubeconfig's own server, which is the VIP's.

        On the control plane its own API server comes first. Who asked the VIP alone could not
        learn what it needs to mend the VIP.
        """
        if self.options.api_servers or self.situation is None:
            return self.options.api_servers
        if self.options.role is not Role.CONTROL_PLANE or not self.situation.own:
            return ()
        own = self.situation.own[0].address
        named = f"[{own}]" if family_of(own) is Family.IPV6 else str(own)
        return f"https://{named}:{API.server_port}", ""

    async def _serve(self) -> None:
        async with AsyncExitStack() as serving:
            path = self.options.folders.run / SOCKET_NAME
            await serving.enter_async_context(told_at(path, lambda: status_of(self)))
            port = self.options.metrics_port
            if port is not None:
                module = await asyncio.to_thread(import_module, "ingot.onprem.monitor.metrics")
                with self.problems.of("metrics"):
                    await serving.enter_async_context(module.served(lambda: status_of(self), port))
            await asyncio.Event().wait()

    async def _shut_down(self) -> None:
        with self.problems.of("keepalived"):
            await self.vips.stop()
        if self._redirected:
            with self.problems.of("redirect"):
                await asyncio.to_thread(redirect.remove)
        await asyncio.gather(self.balancer.daemon.unwant(), self.names.daemon.unwant())


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
