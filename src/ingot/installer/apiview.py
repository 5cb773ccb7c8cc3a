"""What the API of the new cluster tells of the install, while it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingot.configserver.report import key_of
from ingot.installer.console import Said
from ingot.installer.hoststep import is_claimed, is_ready, step_of
from ingot.installer.progress import HostProgress
from ingot.installer.vipholder import address_of, look_for_holder
from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient, Selection
from ingot.kube.errors import ApiError, NotFound
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.host.memory import Memory, for_people

__all__ = ["ApiView", "HostTime", "Seen"]

CONFIG_MAPS = Kind.untyped("", "v1", "ConfigMap", "configmaps")
HOSTS = Kind.untyped("metal3.io", "v1alpha1", "BareMetalHost", "baremetalhosts")
EVENTS = Kind.untyped("", "v1", "Event", "events")
NODES = Kind.untyped("", "v1", "Node", "nodes", namespaced=False)
STATUS = ObjectKey("ingot-infra", "bootstrap")
NAMESPACE = "metal3"
PROVISIONING = "provisioning"
BOOT_LOST = Memory.BOOT_LOST.value
"""A condition of a BareMetalHost, while a boot of it that was lost is tried again."""
WORKER = "worker"
SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class HostTime:
    """When an operation on a server began and ended, as its status tells."""

    host: str
    operation: str
    began: str | None
    ended: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One look at the API.

    Attributes:
        said: what the bootstrap wrote there; None where it has written nothing yet.
        stages: when its stages began and ended.
        hosts: the servers.
        times: when what was done with them.
        vip_holder: who holds the API's VIP; empty where nobody says.
        last_event: the newest event of a server.
    """

    said: Said | None
    stages: tuple[Mapping[str, Any], ...] = ()
    hosts: tuple[HostProgress, ...] = ()
    times: tuple[HostTime, ...] = ()
    vip_holder: str = ""
    last_event: str = ""


class ApiView:
    """Looks at the API through the administrator's kubeconfig."""

    def __init__(self, kubeconfig: Path, roles: Mapping[str, str]) -> None:
        self._kubeconfig = kubeconfig
        self._roles = roles

    async def look(self) -> Seen | None:
        """Return what the API tells; None while it does not answer."""
        access = from_kubeconfig(self._kubeconfig)
        # Each look on a connection of its own: the address moves from one server to another.
        async with KubeClient(access, deadline=SECONDS) as client:
            try:
                told = await self._told(client)
                nodes = await self._nodes(client)
                hosts = await self._hosts(client)
                event = await self._last_event(client)
            except (ApiError, OSError):
                return None
        status = told.get(STATUS.name, {})
        rows = {row["name"]: row for row in status.get("hosts", ())}
        return Seen(
            said=_said(status),
            stages=tuple(status.get("stages", ())),
            hosts=tuple(
                self._row(
                    host,
                    share=rows.get(name, {}).get("share"),
                    node=nodes.get(name),
                    report=told.get(key_of(name).name),
                )
                for host in hosts
                if (name := _name(host)) in self._roles
            ),
            times=tuple(time for one in hosts for time in _times(one)),
            vip_holder=await self._vip_holder(nodes),
            last_event=event,
        )

    async def _told(self, client: KubeClient) -> dict[str, dict[str, Any]]:
        """Return what the bootstrap and the servers wrote down, by the names of ConfigMaps."""
        page = await client.list(CONFIG_MAPS, Selection(STATUS.namespace))
        return {one.metadata.name: _status_in(one.content) for one in page.objects}

    async def _nodes(self, client: KubeClient) -> dict[str, dict[str, Any]]:
        page = await client.list(NODES)
        return {one.metadata.name: one.content for one in page.objects}

    async def _vip_holder(self, nodes: Mapping[str, Mapping[str, Any]]) -> str:
        # The bootstrap's VM is a node too, and none of the servers.
        able = {name: one for name, one in nodes.items() if self._roles.get(name) != WORKER}
        places = {name: address for name, one in able.items() if (address := address_of(one))}
        return await look_for_holder(places)

    async def _hosts(self, client: KubeClient) -> list[dict[str, Any]]:
        try:
            page = await client.list(HOSTS, Selection(NAMESPACE))
        except NotFound:
            return []
        return sorted((one.content for one in page.objects), key=_name)

    async def _last_event(self, client: KubeClient) -> str:
        page = await client.list(EVENTS, Selection(NAMESPACE))
        newest = max(page.objects, key=_moment, default=None)
        if newest is None:
            return ""
        content = newest.content
        return f"{content['involvedObject']['name']}: {content.get('message', '')}"

    def _row(
        self,
        host: Mapping[str, Any],
        *,
        share: float | None,
        node: Mapping[str, Any] | None,
        report: Mapping[str, Any] | None,
    ) -> HostProgress:
        status = host.get("status", {})
        name = _name(host)
        state = status.get("provisioning", {}).get("state") or "new"
        taken = share if state == PROVISIONING else None  # What is written down may be old.
        return HostProgress(
            name=name,
            role=self._roles[name],
            state=state,
            step=step_of(host, node=node, report=report, share=taken),
            share=taken,
            attempts=int(status.get("errorCount", 0)),
            error=str(status.get("errorMessage", "")),
            lost=_lost_boot(status),
            claimed=is_claimed(host),
            joined=node is not None and is_ready(node),
        )


def _lost_boot(status: Mapping[str, Any]) -> str:
    said = (one for one in status.get("conditions", ()) if one.get("type") == BOOT_LOST)
    return next((for_people(str(one.get("message", ""))) for one in said), "")


def _status_in(config_map: Mapping[str, Any]) -> dict[str, Any]:
    try:
        status = json.loads(config_map["data"]["status"])
    except (KeyError, TypeError, ValueError):
        return {}
    return status if isinstance(status, dict) else {}


def _said(status: Mapping[str, Any]) -> Said | None:
    if not status:
        return None
    if status.get("error"):
        lasting = bool(status.get("lasting"))
        return Said(str(status["stage"]), str(status["error"]), is_error=True, lasting=lasting)
    return Said(str(status["stage"]), str(status["message"]))


def _name(host: Mapping[str, Any]) -> str:
    return str(host["metadata"]["name"])


def _moment(event: KubeObject[Content]) -> str:
    return str(event.content.get("lastTimestamp") or event.content.get("eventTime") or "")


def _times(host: Mapping[str, Any]) -> Sequence[HostTime]:
    history = host.get("status", {}).get("operationHistory", {})
    return [
        HostTime(_name(host), operation, times.get("start"), times.get("end"))
        for operation, times in history.items()
        if isinstance(times, Mapping) and times.get("start")
    ]
