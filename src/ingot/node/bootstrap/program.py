"""The one state machine of the bootstrap: stage after stage, each until it succeeds.

It never gives up by itself. How long a stage may take is the installer's to decide, who sees here
what is waited for and what went wrong last, and may come back tomorrow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from ingot.errors import IngotError
from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.errors import NotFound
from ingot.kube.kind import ObjectKey
from ingot.metal3.cluster.handing import images_wait_for
from ingot.node.bootstrap import wiping
from ingot.node.bootstrap.absence import Known, absent
from ingot.node.bootstrap.arrivals import read_known
from ingot.node.bootstrap.controlplane import initialised
from ingot.node.bootstrap.coredns import AFTER_JOINING, WHILE_JOINING, have_copies
from ingot.node.bootstrap.foreigndhcp import check_no_other_dhcp
from ingot.node.bootstrap.gate import Gate, Standing, after_look, are_there
from ingot.node.bootstrap.handover import OWN_ETCD, give_lead, hand_over
from ingot.node.bootstrap.leases import give_leases_back
from ingot.node.bootstrap.looking import (
    NODES,
    PROVISIONED,
    hosts_text,
    look_at_hosts,
    look_at_nodes,
)
from ingot.node.bootstrap.options import Options, Places
from ingot.node.bootstrap.problem import NeedsAPersonError, told
from ingot.node.bootstrap.stage import Goal, Journal, Stage, stages_of
from ingot.node.bootstrap.staticpods import started
from ingot.node.bootstrap.telling import Teller
from ingot.node.etcd import Etcd
from ingot.onprem.interfaces import read_addresses, read_routes
from ingot.onprem.model import Address
from ingot.onprem.monitor.asking import LOOPBACK, is_ready
from ingot.onprem.nodeaddress import choose
from ingot.onprem.problem import NoDefaultRouteError, OnPremError
from ingot.process import CommandFailed, run

__all__ = ["Bootstrap"]

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0
LOOK_SECONDS = 2.0
CRDS = "10-crd-*.yaml"

TEXTS = {
    Stage.NETWORK: "waiting for an address on the machine network",
    Stage.CONTROL_PLANE: "starting the temporary control plane",
    Stage.MANIFESTS: "applying manifests",
    Stage.SERVICES: "starting the config server and Ironic",
    Stage.HOSTS: "provisioning the control-plane servers",
    Stage.JOIN: "waiting for the servers to join",
    Stage.HAND_OVER: "handing the cluster over",
    Stage.COMPLETE: "the cluster stands alone: this VM is no longer needed",
}


class NotYetError(IngotError):
    """What is waited for has not come."""


class Bootstrap:
    """A bootstrap, wherever it has got to.

    Args:
        options: what to build.
        places: where things are on this machine.
        console: where lines for people go.
    """

    def __init__(self, options: Options, places: Places, *, console: Callable[[str], None]) -> None:
        self._options = options
        self._places = places
        self._teller = Teller(Journal.read(places.state / "journal.json"), console)
        self._etcd = Etcd(places.etcd_pki)
        self._address: Address | None = None
        self._clocks: set[tuple[str, str]] = set()

    async def run(self, stop: asyncio.Event) -> None:
        """Go through all stages; ends early when told to stop."""
        self._places.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        steps: dict[Stage, Callable[[], Awaitable[None]]] = {
            Stage.NETWORK: self._network,
            Stage.CONTROL_PLANE: self._control_plane,
            Stage.MANIFESTS: self._manifests,
            Stage.SERVICES: self._services,
            Stage.HOSTS: self._hosts,
            Stage.JOIN: self._join,
            Stage.HAND_OVER: self._hand_over,
            Stage.COMPLETE: self._complete,
        }
        work = asyncio.create_task(self._all(steps))
        told = asyncio.create_task(stop.wait())
        await asyncio.wait((work, told), return_when=asyncio.FIRST_COMPLETED)
        for task in (work, told):
            task.cancel()
        await asyncio.gather(told, return_exceptions=True)
        if work.done() and not work.cancelled():
            work.result()

    async def _all(self, steps: dict[Stage, Callable[[], Awaitable[None]]]) -> None:
        texts = {**TEXTS, **wiping.TEXTS[self._options.goal]}
        for stage in stages_of(self._options.goal):
            step = steps[stage]
            # Finding the address costs nothing, and later stages need it after a restart too.
            if self._teller.journal.is_behind(stage) and stage is not Stage.NETWORK:
                continue
            await self._teller.begins(stage, texts[stage])
            while True:
                try:
                    await step()
                    break
                except NotYetError as waiting:
                    await self._teller.says(str(waiting))
                    await asyncio.sleep(LOOK_SECONDS)
                except IngotError as error:
                    lasting = isinstance(error, NeedsAPersonError)
                    await self._teller.fails(told(error), lasting=lasting)
                    await asyncio.sleep(RETRY_SECONDS)
            await self._teller.ends(stage)

    async def _network(self) -> None:
        try:
            addresses = await asyncio.to_thread(read_addresses)
            routes = await asyncio.to_thread(read_routes)
            choice = choose(addresses, routes, vips=self._options.vips)
        except (NoDefaultRouteError, OnPremError) as error:
            raise NotYetError(f"{TEXTS[Stage.NETWORK]}: {error}") from error
        if not choice.on_vip_network:
            raise NotYetError(f"{TEXTS[Stage.NETWORK]}: so far {choice.reason}")
        self._address = choice.own[0].within.ip

    async def _control_plane(self) -> None:
        assert self._address is not None  # noqa: S101 - the stage before found it
        started(self._places, "10-onprem")
        loop = asyncio.get_running_loop()

        def say(line: str) -> None:
            asyncio.run_coroutine_threadsafe(self._teller.says(line), loop)

        await initialised(self._places, self._address, self._options.name, say)
        self._teller.client = self._client()

    async def _manifests(self) -> None:
        self._have_client()
        folder = self._places.manifests
        kubectl = ("kubectl", f"--kubeconfig={self._places.kubeconfig}")
        apply = (*kubectl, "apply", "--server-side", "--force-conflicts")
        kinds = sorted(folder.glob(CRDS))
        commands: list[tuple[str, ...]] = [(*apply, f"--filename={folder}")]
        if kinds:
            # kubectl looks kinds up before it applies anything: those of ours have to be there.
            named = tuple(f"--filename={path}" for path in kinds)
            known = (*kubectl, "wait", "--for=condition=Established", "--timeout=60s", *named)
            commands = [(*apply, *named), known, *commands]
        try:
            for command in commands:
                await asyncio.to_thread(run, command)
        except CommandFailed as failed:
            # A kind of somebody else's manifests may not be known at once, so this is tried again.
            raise NotYetError(f"applying manifests: {_last(failed.output)}") from failed
        if self._options.goal is Goal.INSTALL:
            await have_copies(self._have_client(), WHILE_JOINING)

    async def _services(self) -> None:
        self._have_client()
        try:
            await asyncio.to_thread(check_no_other_dhcp, self._places)
        except OSError as error:
            raise NotYetError(f"waiting for the provisioning network: {error}") from error
        pods = wiping.PODS[self._options.goal]
        for pod in pods:
            started(self._places, pod)
        wanted = {
            "the config server": wiping.CONFIG_SERVER not in pods
            or await is_ready(LOOPBACK, 22623, "/healthz", tls=True),
            "Ironic": await is_ready(LOOPBACK, 6385, "/", tls=True),
            "the web server": await is_ready(LOOPBACK, 6180, "/images/kernel"),
            "the host operator": await is_ready(LOOPBACK, 9440, "/readyz"),
            "the machine controller": wiping.MACHINES not in pods
            or await is_ready(LOOPBACK, 9441, "/readyz"),
        }
        missing = [what for what, ready in wanted.items() if not ready]
        if missing:
            raise NotYetError(f"waiting for {', '.join(missing)}")

    async def _hosts(self) -> None:
        client = self._have_client()
        wipes = self._options.goal is Goal.WIPE
        names = self._options.wiped if wipes else self._options.control_plane
        rows = await look_at_hosts(client, self._options.namespace, names)
        await self._teller.shows(rows)
        if any(row["state"] != (wiping.CLEAN if wipes else PROVISIONED) for row in rows):
            raise NotYetError(hosts_text(rows))

    async def _join(self) -> None:
        client = self._have_client()
        gate, loop, prepared, unfinished = Gate(), asyncio.get_running_loop(), False, ""
        while not gate.open:
            nodes = await look_at_nodes(client, self._etcd, OWN_ETCD, self._options.control_plane)
            nodes = await self._with_absences(client, nodes)
            if are_there(nodes) and not prepared:
                # While they settle: a new leader takes a moment that nobody should have to wait.
                await give_lead(self._etcd, self._options.name)
                await have_copies(client, AFTER_JOINING)
                prepared = True
            if prepared:
                # The cluster provisions from copies of the images, and this VM has the only ones.
                unfinished = await images_wait_for(client)
            gate = after_look(gate, nodes, now=loop.time(), unfinished=unfinished)
            failed = [f"{one.name}: {one.reported}" for one in nodes if one.reported]
            await self._teller.says("; ".join([gate.text, *failed]))
            await asyncio.sleep(LOOK_SECONDS)

    async def _with_absences(self, client: KubeClient, nodes: list[Standing]) -> list[Standing]:
        """Return what is seen of nodes, with why some are not there.

        Raises:
            AbsentError: some will not come by themselves.
        """
        names = self._options.control_plane
        known = await read_known(client, self._options.namespace, names)
        await self._tell_clocks(known)
        joined = {one.name for one in nodes if one.joined}
        waited = [one for one in known if one.name not in joined]
        why = {one.name: one.seen for one in absent(waited, now=datetime.now(UTC))}
        return [replace(one, absent=why.get(one.name, "")) for one in nodes]

    async def _tell_clocks(self, known: Iterable[Known]) -> None:
        """Tell once of each clock that was off; the report has it among what was overcome."""
        for one in known:
            if one.visits.clock and (one.name, one.visits.clock) not in self._clocks:
                self._clocks.add((one.name, one.visits.clock))
                await self._teller.fails(f"host {one.name}: {one.visits.clock}")

    async def _hand_over(self) -> None:
        self._have_client()
        await hand_over(
            self._places,
            self._etcd,
            self._options.api_vips,
            name=self._options.name,
            say=self._teller.says,
            give_leases=self._give_leases,
        )
        # What was open to the VIP ended where it was: here.
        self._teller.client = self._client()
        await asyncio.to_thread(run, ["systemctl", "stop", "kubelet"])
        with suppress(NotFound):
            await self._teller.client.delete(NODES, ObjectKey("", self._options.name))

    async def _give_leases(self) -> None:
        async with self._client() as client:
            await give_leases_back(client, self._options.name)

    async def _complete(self) -> None:
        self._have_client()

    def _have_client(self) -> KubeClient:
        if self._teller.client is None:
            self._teller.client = self._client()
        return self._teller.client

    def _client(self) -> KubeClient:
        return KubeClient(from_kubeconfig(self._places.kubeconfig), field_manager="ingot-bootstrap")


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "kubectl said nothing"
