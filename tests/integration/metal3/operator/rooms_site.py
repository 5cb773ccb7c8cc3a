"""Rooms of the operator at work: a real API server, and Ironic where a room needs it."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from ingot.ironic.access import Access
from ingot.ironic.client import Ironic
from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.node import Node
from ingot.ironic.states import ProvisionState, Verb
from ingot.kube.client import KubeClient, Selection
from ingot.kube.controller import Controller, Result
from ingot.kube.errors import NotFound
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.recording import EVENTS
from ingot.kube.runtime import Runtime
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.events import COMPONENT
from ingot.metal3.host.settings import Settings
from ingot.metal3.node.subject import Ramdisk, Site
from ingot.metal3.operator.census import Census, Pace
from ingot.metal3.operator.kinds import HOST, SECRET
from ingot.metal3.operator.parts import Parts
from ingot.metal3.operator.secrets import Secrets
from tests.integration.ironic.driven import driven
from tests.integration.ironic.service import (
    ADDRESS,
    Service,
    fake_conf,
    free_port,
    running,
    started,
)
from tests.integration.ironic.test_bmc import SYSTEM, served
from tests.integration.kube.widgets import connected, until
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.metal3.served import manifests

_NUMBERS = count()
PACE = Pace(busy=0.1, rest=0.3, share=0.0, stirred=0.5, away=0.2)
NO_IRONIC = Access(f"http://{ADDRESS}:1")
MEDIA = "redfish-virtualmedia+http://192.0.2.1/redfish/v1/Systems/1"


async def _nothing(_: ObjectKey) -> Result:
    return Result.done()


IDLE = Controller(name="idle", reconcile=_nothing, sources=())
"""A program without any controller would end at once."""


class Room(Protocol):
    """What has controllers."""

    def controllers(self) -> Sequence[Controller]: ...


@dataclass
class RoomsSite:
    """A namespace of its own, with hosts that nobody but the test drives."""

    parts: Parts
    namespace: str

    @property
    def client(self) -> KubeClient:
        return self.parts.client

    def key(self, name: str) -> ObjectKey:
        return ObjectKey(self.namespace, name)

    async def host(
        self,
        name: str,
        *,
        state: str = "available",
        node: str = "",
        labels: dict[str, str] | None = None,
        **spec: Any,  # noqa: ANN401 - any field of the spec
    ) -> KubeObject[BareMetalHost]:
        """Create a host, and return it as the watch knows it."""
        bmc = {"address": MEDIA, "credentialsName": "bmc"}
        meta = {"name": name, "namespace": self.namespace, "labels": labels or {}}
        await self.client.create(
            HOST, {"metadata": meta, "spec": {"online": True, "bmc": bmc, **spec}}
        )
        return await self.becomes(name, state=state, node=node)

    async def becomes(
        self, name: str, *, state: str, node: str = "", on: bool = False
    ) -> KubeObject[BareMetalHost]:
        """Write what the host's controller would."""
        status = {
            "operationalStatus": "OK",
            "errorMessage": "",
            "poweredOn": on,
            "provisioning": {"state": state, "ID": node},
        }
        made = await self.client.patch(
            HOST, self.key(name), {"status": status}, subresource="status"
        )
        version = made.metadata.resource_version
        await until(lambda: self._version(name) == version)
        return self.stored(name)

    def stored(self, name: str) -> KubeObject[BareMetalHost]:
        found = self.parts.hosts.store.get(self.key(name))
        assert found is not None
        return found

    async def secret(self, name: str, **data: str | bytes) -> None:
        """Create or replace a Secret."""
        texts = {
            key: base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()
            for key, text in data.items()
        }
        meta = {"name": name, "namespace": self.namespace}
        with suppress(NotFound):
            await self.client.patch(SECRET, self.key(name), {"data": texts})
            return
        await self.client.create(SECRET, {"metadata": meta, "data": texts})

    async def create(self, kind: Kind[Any], name: str, **spec: object) -> None:
        meta = {"name": name, "namespace": self.namespace}
        await self.client.create(kind, {"metadata": meta, "spec": spec})

    def found(self, kind: Kind[Any], name: str) -> Content:
        """Return an object as the watch knows it; an empty one if it does not."""
        one = self.parts.runtime.watches.of(kind).store.get(self.key(name))
        return one.content if one else {}

    async def became(self, kind: Kind[Any], name: str, when: Callable[[Content], bool]) -> Content:
        try:
            await until(lambda: bool((one := self.found(kind, name)) and when(one)), within=40)
        except TimeoutError:
            raise AssertionError(f"{kind.kind} stays {self.found(kind, name)}") from None
        return self.found(kind, name)

    async def is_gone(self, kind: Kind[Any], name: str) -> None:
        try:
            await until(lambda: not self.found(kind, name), within=40)
        except TimeoutError:
            raise AssertionError(f"{kind.kind} stays {self.found(kind, name)}") from None

    async def events(self, kind: str) -> list[tuple[str, str]]:
        """Return reasons and messages of the events about objects of a kind."""
        await self.parts.runtime.recorder.flush()
        page = await self.client.list(EVENTS, Selection(self.namespace))
        found = [one.content for one in page.objects]
        return [
            (one["reason"], one["message"])
            for one in found
            if one["involvedObject"]["kind"] == kind
        ]

    def _version(self, name: str) -> str:
        found = self.parts.hosts.store.get(self.key(name))
        return found.metadata.resource_version if found else ""


@contextmanager
def metal3_api(folder: Path) -> Iterator[KubeApi]:
    """Run an API server that has our definitions."""
    with kube_api(folder) as api:
        for manifest in manifests():
            api.install(manifest)
        yield api


@asynccontextmanager
async def site(
    api: KubeApi,
    make: Callable[[Parts], Room],
    *,
    access: Access = NO_IRONIC,
    ramdisk: Ramdisk | None = None,
    settings: Settings | None = None,
) -> AsyncIterator[tuple[RoomsSite, Any]]:
    """Run a room's controllers until the end of the block.

    Args:
        api: the API server.
        make: makes the room.
        access: to Ironic, where it matters.
        ramdisk: what the site boots; with one, images are asked for.
        settings: how patient to be.
    """
    namespace = f"rooms-{next(_NUMBERS)}"
    await asyncio.to_thread(
        api.request, "POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}
    )
    async with connected(api) as client, Ironic(access) as ironic:
        runtime = Runtime(client, component=COMPONENT)
        parts = Parts(
            runtime=runtime,
            ironic=ironic,
            census=Census(ironic, PACE),
            secrets=Secrets(client, runtime.watches),
            site=Site(ramdisk=ramdisk or Ramdisk()),
            settings=settings or Settings(),
            builds_ramdisks=ramdisk is not None,
        )
        assert parts.hosts.store is not None  # asked for before the watches run
        room = make(parts)
        stop = asyncio.Event()
        acting = asyncio.create_task(runtime.run([IDLE, *room.controllers()], stop, grace=5))
        looking = asyncio.create_task(parts.census.run())
        try:
            await runtime.watches.synced()
            yield RoomsSite(parts, namespace), room
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
            stop.set()
            await acting


@dataclass(frozen=True)
class Servers:
    """A server that exists only as a BMC, the Ironic that drives it, and a place for images."""

    ironic: Service
    bmc: str
    images: str
    folder: Path

    async def node(self, ironic: Ironic, name: str, *, bmc: str = "") -> Node:
        """Have a node of a host's name verified."""
        made = await ironic.nodes.create(
            {
                "name": name,
                "driver": "redfish",
                "driver_info": {
                    "redfish_address": bmc or self.bmc,
                    "redfish_system_id": f"/redfish/v1/Systems/{SYSTEM}",
                    "redfish_username": "admin",
                    "redfish_password": "hush",
                },
            }
        )
        await driven(ironic, made.uuid, Verb.MANAGE, ProvisionState.MANAGEABLE)
        return made


@contextmanager
def servers(root: Path, folder: Path) -> Iterator[Servers]:
    """Run them until the end of the block."""
    images = folder / "images"
    images.mkdir()
    with served(root / "shared/html") as html, served(images) as url:
        conf = fake_conf(free_port())
        conf = replace(conf, interfaces=Interfaces(), urls=replace(conf.urls, http=html))
        with running(root, folder, conf) as ironic, eventful_bmc(folder) as bmc:
            yield Servers(ironic, bmc, url, images)


@contextmanager
def eventful_bmc(folder: Path) -> Iterator[str]:
    """Run an emulated BMC with an event service; return its address."""
    port = free_port()
    words = ["-m", "tests.integration.metal3.operator.eventful_bmc", "--fake"]
    with (folder / "bmc.log").open("wb") as log:
        bmc = started([sys.executable, *words, "--interface", ADDRESS, "--port", str(port)], log)
    try:
        deadline = time.monotonic() + 60
        while not _listens(port):
            assert bmc.poll() is None, (folder / "bmc.log").read_text()
            assert time.monotonic() < deadline, "the BMC does not listen"
            time.sleep(0.05)
        yield f"http://{ADDRESS}:{port}"
    finally:
        os.killpg(bmc.pid, signal.SIGKILL)
        bmc.wait()


def _listens(port: int) -> bool:
    try:
        socket.create_connection((ADDRESS, port), 1).close()
    except OSError:
        return False
    return True
