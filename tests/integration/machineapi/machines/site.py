"""The controllers of machines on a real API server, with the host operator's part played.

A test says where hosts stand, or lets them follow what is wanted of them. Time is the test's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from ingot.kube.client import KubeClient, Selection
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.errors import AlreadyExists, NotFound
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.recording import EVENTS
from ingot.kube.runtime import Runtime
from ingot.machineapi.api.conditions import Condition
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.hosts import Host
from ingot.machineapi.kinds import HOST, MACHINE, MACHINE_SET, NODE, POD
from ingot.machineapi.machines.room import MachineRoom
from ingot.machineapi.machinesets.room import MachineSetRoom
from ingot.machineapi.observing import condition
from ingot.machineapi.parts import Parts, Patience, Room
from tests.integration.kube.widgets import connected
from tests.integration.kubeapi import ADMIN_TOKEN, KubeApi

IMAGE = {
    "url": "http://images/disk.img",
    "checksum": "ab" * 32,
    "checksumType": "sha256",
    "format": "raw",
}
WITHIN = 30.0
ROOMS: tuple[Callable[[Parts], Room], ...] = (MachineRoom, MachineSetRoom)
BUDGETS = Kind.untyped("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets")

QUICK = Patience(drain=600, release=1800, retry=0.5, look=0.1)


@dataclass
class Clock:
    """Time that a test moves on."""

    ahead: timedelta = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def move(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


@dataclass
class Site:
    """What a test sees and does, by its own requests."""

    client: KubeClient
    namespace: str
    parts: Parts
    clock: Clock = field(default_factory=Clock)

    def key(self, name: str) -> ObjectKey:
        return ObjectKey(self.namespace, name)

    def node_name(self, host: str) -> str:
        """Return a name for a Node that no other test has: Nodes have no namespace."""
        return f"{self.namespace}-{host}"

    async def host(
        self,
        name: str,
        state: str = "available",
        *,
        spec: Content | None = None,
        **metadata: object,
    ) -> None:
        body = {"metadata": {"name": name, **metadata}, "spec": {"online": True, **(spec or {})}}
        await self.client.create(HOST, body, namespace=self.namespace)
        await self.stands(name, state)

    async def stands(self, name: str, state: str, **status: object) -> None:
        """Play the host operator: say where a host stands."""
        seen = {
            "operationalStatus": "error" if status.get("errorMessage") else "OK",
            "errorMessage": "",
            "poweredOn": state == "provisioned",
            "errorCount": 0,
            "provisioning": {"state": state, "ID": ""},
            **status,
        }
        await self.client.patch(HOST, self.key(name), {"status": seen}, subresource="status")

    async def machine(
        self,
        name: str,
        *,
        value: Content | None = None,
        spec: Content | None = None,
        **meta: object,
    ) -> None:
        given = {"image": IMAGE} if value is None else value
        body = {
            "metadata": {"name": name, **meta},
            "spec": {"providerSpec": {"value": given}, **(spec or {})},
        }
        await self.client.create(MACHINE, body, namespace=self.namespace)

    async def machine_set(
        self, name: str, replicas: int, *, value: Content | None = None, **meta: object
    ) -> None:
        body = {
            "metadata": {"name": name, **meta},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"set": name}},
                "template": {
                    "metadata": {"labels": {"set": name}},
                    "spec": {"providerSpec": {"value": value or {"image": IMAGE}}},
                },
            },
        }
        await self.client.create(MACHINE_SET, body, namespace=self.namespace)

    async def node(self, name: str, *, ready: bool = True, **meta: object) -> None:
        body = {"metadata": {"name": name, **meta}}
        await self.client.create(NODE, body)
        await self.kubelet(name, ready=ready)

    async def kubelet(self, name: str, *, ready: bool) -> None:
        """Write what is heard of the kubelet of a Node."""
        status = {
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True" if ready else "Unknown",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                    "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                    "reason": "Test",
                    "message": "",
                }
            ]
        }
        await self.client.patch(NODE, ObjectKey("", name), {"status": status}, subresource="status")

    async def pod(self, name: str, node: str, *, grace: int = 0, **labels: str) -> None:
        body = {
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "nodeName": node,
                "terminationGracePeriodSeconds": grace,
                "containers": [{"name": "one", "image": "none"}],
            },
        }
        await self.client.create(POD, body, namespace=self.namespace)
        ready = {"type": "Ready", "status": "True"}  # a budget does not protect others
        running = {"status": {"phase": "Running", "conditions": [ready]}}
        await self.client.patch(POD, self.key(name), running, subresource="status")

    async def budget(self, name: str, allowed: int, **labels: str) -> None:
        """Have a budget for the pods with some labels that allows so many evictions."""
        body = {
            "metadata": {"name": name},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
        }
        await self.client.create(BUDGETS, body, namespace=self.namespace)
        await self.allow(name, allowed)

    async def allow(self, budget: str, evictions: int) -> None:
        """Play the disruption controller."""
        status = {
            "observedGeneration": 1,
            "disruptionsAllowed": evictions,
            "currentHealthy": 1 + evictions,
            "desiredHealthy": 1,
            "expectedPods": 1 + evictions,
        }
        await self.client.patch(BUDGETS, self.key(budget), {"status": status}, subresource="status")

    async def change(self, kind: Kind[Any], name: str, **body: object) -> None:
        await self.client.patch(kind, self.key(name), body)

    async def find(self, kind: Kind[Any], name: str) -> KubeObject[Any] | None:
        key = self.key(name) if kind.namespaced else ObjectKey("", name)
        try:
            return await self.client.get(kind, key)
        except NotFound:
            return None

    async def hosts(self) -> list[KubeObject[Host]]:
        return (await self.client.list(HOST, Selection(self.namespace))).objects

    async def machines(self) -> list[KubeObject[Machine]]:
        return (await self.client.list(MACHINE, Selection(self.namespace))).objects

    async def said(self, machine: str, name: str) -> Condition | None:
        found = await self.find(MACHINE, machine)
        return condition(found.model.status.conditions, name) if found else None

    async def reason(self, machine: str, name: str) -> str:
        found = await self.said(machine, name)
        return found.reason if found else ""

    async def phase(self, machine: str) -> str:
        found = await self.find(MACHINE, machine)
        return found.model.status.phase if found else "gone"

    async def consumer(self, host: str) -> str:
        found = await self.find(HOST, host)
        reference = found.model.spec.consumer_ref if found else None
        return reference.name if reference else ""

    async def events(self, name: str) -> set[str]:
        """Return the reasons of all events of an object."""
        chosen = Selection(self.namespace, fields=f"involvedObject.name={name}")
        listed = await self.client.list(EVENTS, chosen)
        return {one.content["reason"] for one in listed.objects}

    async def eventually(self, ask: Callable[[], Any], wanted: Any) -> None:  # noqa: ANN401
        """Wait until a question has an answer."""
        answer = None
        try:
            async with asyncio.timeout(WITHIN):
                while (answer := await ask()) != wanted:  # noqa: ASYNC110 - an answer is no event
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"not {wanted!r} within {WITHIN:g} s, but {answer!r}") from None


@asynccontextmanager
async def site(
    api: KubeApi,
    namespace: str,
    *,
    rooms: Sequence[Callable[[Parts], Room]] = ROOMS,
    plays_operator: bool = False,
    patience: Patience = QUICK,
    token: str = ADMIN_TOKEN,
) -> AsyncIterator[Site]:
    """Run controllers until the end of the block, as the user that a token stands for."""
    async with connected(api, token=token) as client, connected(api) as own:
        runtime = Runtime(client, component="machine-controller", namespace=namespace)
        clock = Clock()
        parts = Parts(runtime=runtime, patience=patience, now=clock.now)
        controllers = [one for make in rooms for one in make(parts).controllers()]
        here = Site(own, namespace, parts, clock)
        if plays_operator:
            controllers.append(_operator(here))
        stop = asyncio.Event()
        running = asyncio.create_task(runtime.run(controllers, stop, grace=5))
        try:
            await runtime.watches.synced()
            yield here
        finally:
            stop.set()
            await running


@asynccontextmanager
async def snapshot(api: KubeApi, namespace: str) -> AsyncIterator[Parts]:
    """Yield parts whose watches have listed once, and hear of nothing after that."""
    async with connected(api) as client:
        runtime = Runtime(client, component="machine-controller", namespace=namespace)
        parts = Parts(runtime=runtime, patience=QUICK)
        for watch in (parts.machines, parts.hosts, parts.sets, parts.nodes):
            assert not watch.synced.is_set()
        following = asyncio.create_task(runtime.watches.run())
        await runtime.watches.synced()
        following.cancel()
        await asyncio.wait([following])
        yield parts


def _operator(here: Site) -> Controller:
    """Return what plays the host operator: hosts follow what is wanted of them, and Nodes join."""
    hosts = here.parts.hosts

    async def follow(key: ObjectKey) -> Result:
        found = hosts.store.get(key)
        if found is None:
            return Result.done()
        view = found.model
        if view.has_work and view.state == "available":
            await here.stands(key.name, "provisioned")
            try:
                await here.node(key.name)
            except AlreadyExists:
                return Result.done()
        elif not view.has_work and view.state == "provisioned":
            await here.stands(key.name, "available")
        return Result.done()

    return Controller(name="operator", reconcile=follow, sources=[Source(hosts)])
