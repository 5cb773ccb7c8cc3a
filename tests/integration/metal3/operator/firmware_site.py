"""The firmware room at work: real API server, real Ironic, and hosts to try it on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ingot.ironic.access import Access
from ingot.ironic.client import Ironic
from ingot.ironic.hardware import BiosSetting, FirmwareComponent, Hardware
from ingot.ironic.node import NodeId
from ingot.ironic.states import ProvisionState, Verb
from ingot.ironic.transport import Transport
from ingot.kube.client import KubeClient, Selection
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.recording import EVENTS
from ingot.kube.runtime import Runtime
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.events import COMPONENT
from ingot.metal3.host.settings import Settings
from ingot.metal3.node.subject import Site
from ingot.metal3.operator.census import Census, Pace
from ingot.metal3.operator.firmware.room import FirmwareRoom
from ingot.metal3.operator.kinds import (
    FIRMWARE_COMPONENTS,
    FIRMWARE_SETTINGS,
    HOST,
)
from ingot.metal3.operator.parts import Parts
from ingot.metal3.operator.secrets import Secrets
from tests.integration.ironic.driven import driven
from tests.integration.kube.widgets import connected, until
from tests.integration.kubeapi import KubeApi

_NUMBERS = count()
REST_SECONDS = 1.0
PACE = Pace(busy=0.1, rest=0.3, share=0.0, stirred=0.5, away=0.2)


class CountedHardware(Hardware):
    """The real calls, counted by the node that they are about."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.settings_read: Counter[NodeId] = Counter()
        self.components_read: Counter[NodeId] = Counter()

    async def bios_settings(self, node: NodeId) -> list[BiosSetting]:
        self.settings_read[node] += 1
        return await super().bios_settings(node)

    async def firmware(self, node: NodeId) -> list[FirmwareComponent]:
        self.components_read[node] += 1
        return await super().firmware(node)


@dataclass
class FirmwareSite:
    """A site in a namespace of its own.

    Attributes:
        hardware: what Ironic is asked of hardware.
        answers: how often the API server has answered, by method.
    """

    parts: Parts
    room: FirmwareRoom
    namespace: str
    hardware: CountedHardware
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def client(self) -> KubeClient:
        return self.parts.client

    @property
    def ironic(self) -> Ironic:
        return self.parts.ironic

    def key(self, name: str) -> ObjectKey:
        return ObjectKey(self.namespace, name)

    async def host(self, name: str, address: str) -> KubeObject[BareMetalHost]:
        """Create a host, and return it as the watch knows it."""
        bmc = {"address": address, "credentialsName": "bmc"}
        body = {
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"online": True, "bmc": bmc},
        }
        await self.client.create(HOST, body)
        await until(lambda: self.parts.hosts.store.get(self.key(name)) is not None)
        return self.stored(name)

    def stored(self, name: str) -> KubeObject[BareMetalHost]:
        found = self.parts.hosts.store.get(self.key(name))
        assert found is not None
        return found

    async def node(self, name: str, **said: object) -> NodeId:
        """Have a node verified that bears the host's name."""
        node = await self.ironic.nodes.create({"name": f"{self.namespace}~{name}", **said})  # type: ignore[dict-item]
        await driven(self.ironic, node.uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
        return node.uuid

    async def want(self, kind: Kind[Any], name: str, **spec: object) -> None:
        await self.client.patch(kind, self.key(name), {"spec": spec})

    def found(self, kind: Kind[Any], name: str) -> Content:
        """Return an object as the watch knows it; an empty one if it does not."""
        one = self.parts.runtime.watches.of(kind).store.get(self.key(name))
        return one.content if one else {}

    async def settings(self, name: str, when: Callable[[Content], bool]) -> Content:
        return await self.became(FIRMWARE_SETTINGS, name, when)

    async def components(self, name: str, when: Callable[[Content], bool]) -> Content:
        return await self.became(FIRMWARE_COMPONENTS, name, when)

    async def became(self, kind: Kind[Any], name: str, when: Callable[[Content], bool]) -> Content:
        try:
            await until(lambda: bool((one := self.found(kind, name)) and when(one)), within=40)
        except TimeoutError:
            raise AssertionError(f"{kind.kind} stays {self.found(kind, name)}") from None
        return self.found(kind, name)

    async def rested(self) -> Counter[str]:
        """Return how often the API server has answered, as soon as it does no more.

        What is written is seen by others before the answer to it is.
        """
        while True:
            before = self.answers.copy()
            await asyncio.sleep(REST_SECONDS)
            if self.answers == before:
                return before

    async def warnings(self, about: str, kind: str) -> list[str]:
        """Return what was warned of, as soon as there is something: status is written first."""
        while not (found := await self._warnings(about, kind)):  # noqa: ASYNC110 - it is elsewhere
            await asyncio.sleep(0.05)
        return found

    async def _warnings(self, about: str, kind: str) -> list[str]:
        await self.parts.runtime.recorder.flush()
        page = await self.client.list(EVENTS, Selection(self.namespace))
        return [
            event["message"]
            for one in page.objects
            if (event := one.content)["type"] == "Warning"
            and event["reason"] == "ValidationFailed"
            and (event["involvedObject"]["kind"], event["involvedObject"]["name"]) == (kind, about)
        ]


def valid(one: Content) -> tuple[str, int]:
    """Return what the condition of that name says, and of which generation."""
    found = condition(one, "Valid")
    return found.get("status", ""), found.get("observedGeneration", 0)


def condition(one: Content, kind: str) -> Content:
    conditions = one.get("status", {}).get("conditions", ())
    return next((found for found in conditions if found["type"] == kind), {})


def judged(one: Content) -> bool:
    return bool(valid(one)[1] == one["metadata"]["generation"])


@asynccontextmanager
async def place(api: KubeApi, access: Access) -> AsyncIterator[tuple[KubeClient, Ironic, str]]:
    """Make a namespace, and leave neither hosts nor nodes of it to those that come after."""
    namespace = f"firmware-{next(_NUMBERS)}"
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    async with connected(api) as client, Ironic(access) as ironic:
        try:
            yield client, ironic, namespace
        finally:
            for host in (await client.list(HOST, Selection(namespace))).objects:
                await client.delete(HOST, host.key)
            for node in await ironic.nodes.statuses():
                if (node.name or "").startswith(f"{namespace}~"):
                    await ironic.nodes.delete(node.uuid)


@asynccontextmanager
async def site(
    api: KubeApi, access: Access, *, driver: str | None = None
) -> AsyncIterator[FirmwareSite]:
    """Run the room's controllers until the end of the block."""
    async with (
        place(api, access) as (client, ironic, namespace),
        operated(client, ironic, namespace, driver=driver) as made,
    ):
        yield made


@asynccontextmanager
async def operated(
    client: KubeClient, ironic: Ironic, namespace: str, *, driver: str | None = None
) -> AsyncIterator[FirmwareSite]:
    runtime = Runtime(client, component=COMPONENT)
    parts = Parts(
        runtime=runtime,
        ironic=ironic,
        census=Census(ironic, PACE),
        secrets=Secrets(client, runtime.watches),
        site=Site(driver=driver),
        settings=Settings(),
    )
    ironic.hardware = counted = CountedHardware(ironic._transport)  # noqa: SLF001 - to count
    made = FirmwareSite(parts, FirmwareRoom(parts), namespace, counted)

    def answered(method: str, _code: int) -> None:
        made.answers[method] += 1

    client.on_answer.append(answered)
    stop = asyncio.Event()
    running = asyncio.create_task(runtime.run(made.room.controllers(), stop, grace=5))
    looking = asyncio.create_task(parts.census.run())
    try:
        await runtime.watches.synced()
        yield made
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking
        stop.set()
        await running
