"""The operator from its start to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final

from ingot.ironic.client import Ironic
from ingot.kube.access import from_environment
from ingot.kube.client import KubeClient, Patch
from ingot.kube.controller import Controller
from ingot.kube.kind import Kind, ObjectKey
from ingot.kube.runtime import Companion, Runtime
from ingot.kube.serving import Endpoints
from ingot.metal3.api.events import COMPONENT
from ingot.metal3.operator.boots.following import Boots
from ingot.metal3.operator.boots.trail import Signs
from ingot.metal3.operator.census import Census
from ingot.metal3.operator.dataimages.room import DataImageRoom
from ingot.metal3.operator.deploydata import Deployments
from ingot.metal3.operator.firmware.room import FirmwareRoom
from ingot.metal3.operator.hardwaredata import HardwareRoom
from ingot.metal3.operator.hosts.controller import HostRoom
from ingot.metal3.operator.hosts.views import Views
from ingot.metal3.operator.options import Options, Webhook
from ingot.metal3.operator.parts import Parts
from ingot.metal3.operator.ramdisks.room import RamdiskRoom
from ingot.metal3.operator.secrets import Secrets
from ingot.metal3.operator.subscriptions.room import SubscriptionRoom
from ingot.metal3.webhooks.configuration import NAME, Service, configuration
from ingot.metal3.webhooks.rotating import Rotation
from ingot.metal3.webhooks.serving import Admission
from ingot.metal3.webhooks.tls import WatchedTls

__all__ = ["LEASE", "run"]

log = logging.getLogger(__name__)

LEASE: Final = "baremetal-operator"
"""Upstream's name too: the two never act at once."""

_WEBHOOKS: Final = Kind.untyped(
    "admissionregistration.k8s.io",
    "v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    namespaced=False,
)


async def run(options: Options, stop: asyncio.Event) -> None:
    """Operate hosts until told to stop.

    Raises:
        IngotError: it cannot go on, and a new process should try again.
    """
    access = from_environment(options.kubeconfig)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(KubeClient(access, field_manager=COMPONENT))
        back_end = await stack.enter_async_context(Ironic(options.ironic, options.limits))
        runtime = Runtime(client, component=COMPONENT, namespace=options.namespace)
        parts = Parts(
            runtime=runtime,
            ironic=back_end,
            census=Census(back_end),
            secrets=Secrets(client, runtime.watches),
            site=options.site,
            settings=options.settings,
            builds_ramdisks=options.builds_ramdisks,
        )
        controllers, companions = _rooms(parts, options)
        pages = Endpoints(runtime.metrics, runtime.health)
        port = await stack.enter_async_context(pages.served(port=options.health_port))
        log.info("health and metrics on port %d", port)
        if options.webhook:
            await stack.enter_async_context(_judging(client, options, options.webhook))
        lease = ObjectKey(options.own_namespace, LEASE)
        leadership = runtime.leadership(lease, terms=options.terms) if options.terms else None

        def ironic() -> str:
            leads = leadership is None or leadership.held()
            return parts.census.problem if leads else ""

        runtime.health.ready["ironic"] = ironic
        await runtime.run(controllers, stop, leadership=leadership, companions=companions)


def _rooms(parts: Parts, options: Options) -> tuple[list[Controller], list[Companion]]:
    firmware, ramdisks = FirmwareRoom(parts), RamdiskRoom(parts)
    data_images = DataImageRoom(parts)
    boots = _boots(options)
    views = Views(
        firmware=firmware,
        ramdisks=ramdisks,
        data_images=data_images,
        hardware=HardwareRoom(parts),
        deployments=Deployments(parts.secrets),
        boots=boots,
    )
    hosts = HostRoom(parts, views, workers=options.workers)
    rooms = (hosts, firmware, ramdisks, data_images, SubscriptionRoom(parts))
    controllers = [controller for room in rooms for controller in room.controllers()]
    followed = [boots.follow] if isinstance(boots, Boots) else []
    return controllers, [parts.census.run, *followed]


class _Unseen:
    """Boots where no boot server tells what it sees."""

    def signs(self, macs: Iterable[str]) -> Signs | None:
        """Return that nothing can be seen."""
        del macs
        return None


def _boots(options: Options) -> Boots | _Unseen:
    if options.dhcp_log is None or options.http_log is None:
        return _Unseen()
    return Boots(dnsmasq=options.dhcp_log, web=options.http_log)


@asynccontextmanager
async def _judging(client: KubeClient, options: Options, webhook: Webhook) -> AsyncIterator[None]:
    """Answer the API server's questions while the block lasts."""
    service = Service(namespace=options.own_namespace, name=webhook.service)
    where = webhook.url or service

    async def publish(bundle: bytes) -> None:
        await client.patch(
            _WEBHOOKS,
            ObjectKey("", NAME),
            configuration(where, bundle),
            how=Patch.APPLY,
            force=True,
        )

    name = webhook.url.removeprefix("https://").rsplit(":", 1)[0].strip("[]") or service.host
    rotation = Rotation(folder=webhook.certificates, names=[name], publish=publish)
    rotation.begin()
    folder = webhook.certificates
    admission = Admission(WatchedTls(folder / "tls.crt", folder / "tls.key"))
    async with admission.served(port=webhook.port) as port:
        log.info("objects are judged on port %d", port)
        rotating = asyncio.create_task(rotation.run(), name="webhook certificates")
        try:
            yield
        finally:
            rotating.cancel()
            with suppress(asyncio.CancelledError):
                await rotating
