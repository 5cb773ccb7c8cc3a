"""Machines with hosts and Nodes on a real API server, where the test plays metal3 and kubelets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from ingot.kube.client import KubeClient, Selection
from ingot.kube.errors import NotFound
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.recording import EVENTS
from ingot.kube.runtime import Runtime
from ingot.machineapi import annotation
from ingot.machineapi.api.kinds import DEFINITIONS
from ingot.machineapi.api.manifest import stored
from ingot.machineapi.kinds import HOST, MACHINE, NODE
from ingot.machineapi.parts import Parts, Room
from tests.integration.kube.widgets import connected
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.metal3.served import manifests

_NUMBERS = count()
BMC = {"address": "redfish+http://192.0.2.1/redfish/v1/Systems/1", "credentialsName": "bmc"}
ROLE = {"machine.openshift.io/cluster-api-machine-role": "worker"}


@dataclass
class Clock:
    """The time, which tests may put forward."""

    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Clinic:
    """A namespace of its own."""

    client: KubeClient
    namespace: str
    clock: Clock = field(default_factory=Clock)

    def key(self, name: str) -> ObjectKey:
        return ObjectKey(self.namespace, name)

    async def machine(
        self,
        name: str,
        *,
        address: str = "192.0.2.10",
        labels: dict[str, str] | None = None,
        joined: bool = True,
        owned: bool = False,
    ) -> None:
        """Have a Machine, whose host and Node have its name, running and ready."""
        owner = {
            "apiVersion": "machine.openshift.io/v1beta1",
            "kind": "MachineSet",
            "name": "workers",
            "uid": "00000000-0000-0000-0000-000000000001",
            "controller": True,
        }
        meta = {
            "name": name,
            "namespace": self.namespace,
            "labels": labels or ROLE,
            "annotations": {annotation.HOST: f"{self.namespace}/{name}"},
            "ownerReferences": [owner] if owned else [],
        }
        spec = {"providerSpec": {"value": {"image": {"url": "http://image", "checksum": "1"}}}}
        await self.client.create(MACHINE, {"metadata": meta, "spec": spec})
        status: Content = {
            "phase": "Running" if joined else "Provisioned",
            "addresses": [
                {"type": "InternalDNS", "address": name},
                {"type": "InternalIP", "address": address},
            ],
        }
        if joined:
            status["nodeRef"] = {"kind": "Node", "name": name}
        await self._status(MACHINE, name, status)
        await self.host(name, consumer=name, state="provisioned", on=True)
        if joined:
            await self.node(name, ready="True", boot="first", address=address)

    async def host(
        self,
        name: str,
        *,
        consumer: str = "",
        state: str = "available",
        on: bool = False,
        labels: dict[str, str] | None = None,
    ) -> None:
        """Have a host."""
        spec: Content = {"online": True, "bmc": BMC}
        if consumer:
            spec["image"] = {"url": "http://image", "checksum": "1"}
            spec["consumerRef"] = {
                "apiVersion": "machine.openshift.io/v1beta1",
                "kind": "Machine",
                "name": consumer,
                "namespace": self.namespace,
            }
        meta = {"name": name, "namespace": self.namespace, "labels": labels or {}}
        await self.client.create(HOST, {"metadata": meta, "spec": spec})
        await self._host_status(name, state=state, on=on)

    async def power(self, name: str, *, on: bool) -> None:
        """Write what metal3 would have seen."""
        await self._host_status(name, state="provisioned", on=on)

    async def stands(self, name: str, state: str) -> None:
        """Write where a host stands, with its power off."""
        await self._host_status(name, state=state, on=False)

    async def node(self, name: str, *, ready: str, boot: str, address: str = "192.0.2.10") -> None:
        """Write what the kubelet of a Node says, and make the Node if there is none."""
        try:
            await self.client.get(NODE, ObjectKey("", name))
        except NotFound:
            await self.client.create(NODE, {"metadata": {"name": name}})
        status = {
            "conditions": [
                {"type": "Ready", "status": ready, "lastTransitionTime": stamp(datetime.now(UTC))}
            ],
            "addresses": [{"type": "InternalIP", "address": address}],
            "nodeInfo": {**dict.fromkeys(_NODE_INFO, ""), "bootID": boot},
        }
        await self.client.patch(NODE, ObjectKey("", name), {"status": status}, subresource="status")

    async def get(self, kind: Kind[Any], name: str) -> Content:
        """Return an object; an empty one if it is not there."""
        where = self.namespace if kind.namespaced else ""
        try:
            return (await self.client.get(kind, ObjectKey(where, name))).content
        except NotFound:
            return {}

    async def becomes(
        self, kind: Kind[Any], name: str, when: Callable[[Content], bool], *, within: float = 40
    ) -> Content:
        """Wait until an object is as expected."""
        found: Content = {}
        try:
            async with asyncio.timeout(within):
                while not when(found := await self.get(kind, name)):  # noqa: ASYNC110 - a look is no event
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{kind.kind} {name} stays {found}") from None
        return found

    async def touch(self, name: str) -> None:
        """Have a Machine looked at now, and not when its time has come."""
        mark = {"metadata": {"labels": {"touched": str(next(_NUMBERS))}}}
        await self.client.patch(MACHINE, self.key(name), mark)

    async def events(self, namespace: str = "") -> list[tuple[str, str, str]]:
        """Return of all events the reason, the message, and the name of what it is about."""
        page = await self.client.list(EVENTS, Selection(namespace or self.namespace))
        found = [one.content for one in page.objects]
        return [(one["reason"], one["message"], one["involvedObject"]["name"]) for one in found]

    @asynccontextmanager
    async def running(
        self, *makes: Callable[[Parts], Room], client: KubeClient | None = None
    ) -> AsyncIterator[Parts]:
        """Run controllers until the end of the block, as ourselves or as somebody else."""
        runtime = Runtime(client or self.client, component="test", namespace=self.namespace)
        parts = Parts(runtime=runtime, now=self.clock)
        controllers = [one for make in makes for one in make(parts).controllers()]
        stop = asyncio.Event()
        acting = asyncio.create_task(runtime.run(controllers, stop, grace=5))
        try:
            await runtime.watches.synced()
            yield parts
        finally:
            stop.set()
            await acting

    async def _status(self, kind: Kind[Any], name: str, status: Content) -> None:
        await self.client.patch(kind, self.key(name), {"status": status}, subresource="status")

    async def _host_status(self, name: str, *, state: str, on: bool) -> None:
        status = {
            "operationalStatus": "OK",
            "errorMessage": "",
            "poweredOn": on,
            "provisioning": {"state": state, "ID": "1"},
            "operationHistory": {"provision": {"end": stamp(datetime.now(UTC))}},
        }
        await self._status(HOST, name, status)


_NODE_INFO: Sequence[str] = (
    "architecture",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
)


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def machine_api(folder: Path) -> Iterator[KubeApi]:
    """Run an API server that has the kinds of hosts and machines."""
    with kube_api(folder) as api:
        for manifest in manifests():
            if manifest["spec"]["names"]["kind"] == "BareMetalHost":
                api.install(manifest)
        for definition in DEFINITIONS:
            api.install(yaml.safe_load(stored(definition)))
        yield api


@asynccontextmanager
async def clinic(api: KubeApi) -> AsyncIterator[Clinic]:
    """Have a namespace until the end of the block."""
    namespace = f"clinic-{next(_NUMBERS)}"
    await asyncio.to_thread(
        api.request, "POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}
    )
    async with connected(api) as client:
        yield Clinic(client, namespace)
