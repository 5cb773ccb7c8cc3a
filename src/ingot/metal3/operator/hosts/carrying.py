"""A decision carried out, in the order that `ingot.metal3.host.decision` states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ingot.ironic.node import Node
from ingot.ironic.refusal import FaultError, IronicError, RefusedError
from ingot.kube.client import Patch
from ingot.kube.digest import Severity
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api import finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.hoststatus import HostStatus
from ingot.metal3.api.reading import written
from ingot.metal3.host.decision import Decision, EventType, FinalizerStep
from ingot.metal3.node import calls
from ingot.metal3.node.calls import Call, hardened
from ingot.metal3.node.performing import NotValidError, perform
from ingot.metal3.operator.hosts.knownnodes import KnownNodes
from ingot.metal3.operator.hosts.metrics import HostMetrics
from ingot.metal3.operator.hosts.observing import Look
from ingot.metal3.operator.hosts.views import Views
from ingot.metal3.operator.kinds import HOST
from ingot.metal3.operator.parts import Parts
from ingot.metal3.operator.secrets import named_secrets

__all__ = ["Carrier", "RefusedCalls"]

_HOPELESS = (RefusedError, FaultError, NotValidError)
"""Failures that belong to the host: they are told in its status, and not tried again at once."""


class RefusedCalls(Exception):  # noqa: N818 - it says what was seen; never leaves the controller
    """Ironic does not do what was decided.

    Attributes:
        host: as it is stored now.
        why: what Ironic says.
    """

    def __init__(self, host: KubeObject[BareMetalHost], why: str) -> None:
        super().__init__(why)
        self.host = host
        self.why = why


class Carrier:
    """Carries decisions out."""

    def __init__(
        self, parts: Parts, views: Views, *, nodes: KnownNodes, metrics: HostMetrics
    ) -> None:
        self._parts = parts
        self._views = views
        self._nodes = nodes
        self._metrics = metrics

    async def carry_out(self, look: Look, decision: Decision[Call]) -> None:
        """Do what was decided.

        Raises:
            RefusedCalls: Ironic will not do its part.
            IngotError: something failed that may succeed the next time.
        """
        host = look.host
        if decision.finalizer is FinalizerStep.ADD:
            host = await self._add_finalizer(host)
        else:
            host = await self._told_before(host, decision)
            await self._acted(look, host, decision)
            if decision.changed and decision.calls_first:
                host = await self._write_status(host, decision.status)
            if decision.annotations_removed:
                host = await self._remove_annotations(host, decision.annotations_removed)
            if decision.finalizer is FinalizerStep.REMOVE:
                await self._let_go(look, host)
        self.tell(host, decision)

    def tell(self, host: KubeObject[BareMetalHost], decision: Decision[Call]) -> None:
        """Count what happened and record the events."""
        self._metrics.count(decision.counts)
        for event in decision.events:
            severity = Severity.WARNING if event.type is EventType.WARNING else Severity.NORMAL
            self._parts.runtime.recorder.record(
                host, event.reason, event.message, severity=severity
            )

    async def write_failure(
        self, host: KubeObject[BareMetalHost], decision: Decision[Call]
    ) -> None:
        """Write a status that tells of a failure, and nothing else of a decision."""
        if decision.changed:
            host = await self._write_status(host, decision.status)
        self.tell(host, decision)

    async def _told_before(
        self, host: KubeObject[BareMetalHost], decision: Decision[Call]
    ) -> KubeObject[BareMetalHost]:
        if decision.hardware_data is not None:
            await self._views.hardware.write(host, decision.hardware_data)
        if decision.architecture:
            host = await self._patch(host, {"spec": {"architecture": decision.architecture}})
        if decision.changed and not decision.calls_first:
            host = await self._write_status(host, decision.status)
        return host

    async def _acted(
        self, look: Look, host: KubeObject[BareMetalHost], decision: Decision[Call]
    ) -> None:
        try:
            await self._make(look, decision.calls)
        except _HOPELESS as error:
            if not decision.calls_may_fail:
                raise RefusedCalls(host, _said(error)) from error
        except IronicError:
            if not decision.calls_may_fail:
                raise
        if decision.data_image is not None:
            await self._views.data_images.change(host, look.node_id, decision.data_image)
        if decision.firmware_updates is not None:
            await self._views.firmware.record(host, decision.firmware_updates)

    async def _make(self, look: Look, asked: Sequence[Call]) -> None:
        for call in asked:
            shown = None
            try:
                shown = await self._one(call)
            finally:
                self._nodes.changed(look.host.key, look.node_id, shown)
        if look.named is not None and any(isinstance(call, calls.CreateNode) for call in asked):
            self._nodes.cards_are_right(look.host.key, look.named.subject)

    async def _one(self, call: Call) -> Node | None:
        try:
            return await perform(self._parts.ironic, call)
        except RefusedError:
            instead = hardened(call)
            if instead is None:
                raise
            return await perform(self._parts.ironic, instead)

    async def _let_go(self, look: Look, host: KubeObject[BareMetalHost]) -> None:
        for name in named_secrets(look.model.spec):
            await self._parts.secrets.release(ObjectKey(host.key.namespace, name), host.key)
        await self._views.ramdisks.release(host)
        await self._views.hardware.release(host)
        left = [one for one in host.metadata.finalizers if one != finalizer.HOST]
        await self._patch(host, {"metadata": {"finalizers": left}})

    async def _add_finalizer(self, host: KubeObject[BareMetalHost]) -> KubeObject[BareMetalHost]:
        finalizers = [*host.metadata.finalizers, finalizer.HOST]
        return await self._patch(host, {"metadata": {"finalizers": finalizers}})

    async def _remove_annotations(
        self, host: KubeObject[BareMetalHost], names: Sequence[str]
    ) -> KubeObject[BareMetalHost]:
        return await self._patch(host, {"metadata": {"annotations": dict.fromkeys(names)}})

    async def _write_status(
        self, host: KubeObject[BareMetalHost], status: HostStatus
    ) -> KubeObject[BareMetalHost]:
        content = host.content
        content["status"] = written(status)
        return self._saw(await self._parts.client.replace(HOST, content, subresource="status"))

    async def _patch(
        self, host: KubeObject[BareMetalHost], change: dict[str, Any]
    ) -> KubeObject[BareMetalHost]:
        """Change what was seen, and only that: whatever somebody else wrote since is looked at."""
        version = {"resourceVersion": host.metadata.resource_version}
        body = {**change, "metadata": {**change.get("metadata", {}), **version}}
        return self._saw(await self._parts.client.patch(HOST, host.key, body, how=Patch.MERGE))

    def _saw(self, host: KubeObject[BareMetalHost]) -> KubeObject[BareMetalHost]:
        self._parts.hosts.saw(host)
        return host


def _said(error: RefusedError | FaultError | NotValidError) -> str:
    return error.reason if isinstance(error, IronicError) else str(error)
