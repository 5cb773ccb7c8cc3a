"""What is done to a host and to a Node in a healing: held off and let go, marked and unmarked."""

from __future__ import annotations

from typing import Any, Final

from ingot.kube.kind import ObjectKey
from ingot.machineapi import annotation
from ingot.machineapi.healing.course import OUT_OF_SERVICE
from ingot.machineapi.healing.hold import HOLD, Hold
from ingot.machineapi.kinds import HOST, NODE
from ingot.machineapi.parts import Parts
from ingot.machineapi.seeing import HostSeen

__all__ = ["Holding"]

_KEY, _EFFECT = OUT_OF_SERVICE
_VALUE: Final = "nodeshutdown"


class Holding:
    """Writes to hosts and Nodes.

    Args:
        parts: what all controllers share.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def hold(self, host: HostSeen, machine: ObjectKey) -> None:
        """Have a server turned off at once, and kept off."""
        await self._annotate(host.key, {HOLD: Hold(machine, self._parts.now()).text()})

    async def release(self, host: HostSeen) -> None:
        """Let a server be turned on."""
        await self._annotate(host.key, {HOLD: None})

    async def mark_unhealthy(self, host: HostSeen, why: str) -> None:
        """Keep a host from being claimed again, until a person has looked at it."""
        await self._annotate(host.key, {annotation.HOST_UNHEALTHY[0]: why})

    async def taint(self, node: str) -> None:
        """Let pods and volumes of a Node go elsewhere, without asking its kubelet."""
        await self._retaint(node, add=[{"key": _KEY, "value": _VALUE, "effect": _EFFECT}])

    async def untaint(self, node: str) -> None:
        """Let pods come back."""
        await self._retaint(node, add=[])

    async def _annotate(self, host: ObjectKey, annotations: dict[str, str | None]) -> None:
        change = {"metadata": {"annotations": annotations}}
        self._parts.hosts.saw(await self._parts.client.patch(HOST, host, change))

    async def _retaint(self, node: str, *, add: list[dict[str, Any]]) -> None:
        found = self._parts.nodes.store.get(ObjectKey("", node))
        if found is None:
            return
        others = [
            one
            for one in found.content.get("spec", {}).get("taints", ())
            if (one["key"], one["effect"]) != OUT_OF_SERVICE
        ]
        change = {
            "metadata": {"resourceVersion": found.metadata.resource_version},
            "spec": {"taints": [*others, *add]},
        }
        self._parts.nodes.saw(await self._parts.client.patch(NODE, found.key, change))
