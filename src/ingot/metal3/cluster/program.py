"""The controller from its start to its end."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Final

from lightkube.config.kubeconfig import SingleConfig

from ingot.kube.client import KubeClient
from ingot.kube.lease import Terms
from ingot.kube.runtime import Runtime
from ingot.kube.serving import Endpoints
from ingot.metal3.cluster.controller import ProvisioningRoom
from ingot.metal3.cluster.names import CONTROLLER, CONTROLLER_LEASE, NAMESPACE
from ingot.metal3.cluster.options import Options
from ingot.metal3.cluster.pointers import PointerRoom
from ingot.metal3.cluster.renewing import RenewalRoom

__all__ = ["HEALTH_PORT", "run"]

log = logging.getLogger(__name__)

HEALTH_PORT: Final = 9440
TERMS: Final = Terms(duration=60.0, renew_deadline=40.0, retry_period=10.0)


async def run(
    options: Options,
    access: SingleConfig,
    stop: asyncio.Event,
    *,
    health_port: int = HEALTH_PORT,
    terms: Terms = TERMS,
) -> None:
    """See to metal3 in the cluster until told to stop.

    Raises:
        IngotError: it cannot go on, and a new process should try again.
    """
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(KubeClient(access, field_manager=CONTROLLER))
        runtime = Runtime(client, component=CONTROLLER, namespace=NAMESPACE)
        rooms = (
            ProvisioningRoom(runtime, options),
            PointerRoom(runtime, options),
            RenewalRoom(client),
        )
        pages = Endpoints(runtime.metrics, runtime.health)
        port = await stack.enter_async_context(pages.served(port=health_port))
        log.info("health and metrics on port %d", port)
        leadership = runtime.leadership(CONTROLLER_LEASE, terms=terms)
        await runtime.run([room.controller() for room in rooms], stop, leadership=leadership)
