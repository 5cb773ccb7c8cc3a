"""The host gateway from its start to its end."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Final

from ingot.hostgateway.gateway import NODE, Gateway, counts
from ingot.hostgateway.options import Options
from ingot.hostgateway.standing import Standing
from ingot.kube.access import from_environment
from ingot.kube.backoff import Schedule
from ingot.kube.client import KubeClient
from ingot.kube.controller import Controller, Source
from ingot.kube.kind import ObjectKey
from ingot.kube.runtime import Runtime
from ingot.kube.serving import Endpoints

__all__ = ["COMPONENT", "run"]

log = logging.getLogger(__name__)

COMPONENT: Final = "host-gateway"
DEADLINE_SECONDS = 60.0
SCHEDULE = Schedule(first=0.5, longest=30.0)
"""A node's own network is worth a look twice a minute, whatever failed."""


async def run(options: Options, stop: asyncio.Event) -> None:
    """Keep a node's way to pods until told to stop; what stands then stays.

    Raises:
        IngotError: it cannot begin, and a new process should try again.
    """
    async with AsyncExitStack() as stack:
        access = from_environment(options.kubeconfig)
        client = await stack.enter_async_context(KubeClient(access, field_manager=COMPONENT))
        runtime = Runtime(client, component=COMPONENT)
        standing = Standing(runtime.metrics.registry)
        # Pods have their network whether or not the API can be asked just now.
        runtime.health.ready = {"network": lambda: standing.problem}
        nodes = runtime.watches.of(NODE)
        gateway = Gateway(options, nodes.store, standing, runtime.recorder)
        pages = Endpoints(runtime.metrics, runtime.health)
        at = (options.health_address, options.health_port)
        port = await stack.enter_async_context(pages.served(*at))
        log.info("health and metrics on %s, port %d", options.health_address, port)
        own = ObjectKey("", options.name)
        # Whichever Node changes, it is this node that is looked at.
        source = Source(nodes, keep=counts, keys=lambda _: (own,), forgives=True)
        controller = Controller(
            name=COMPONENT,
            reconcile=gateway.reconcile,
            sources=[source],
            deadline=DEADLINE_SECONDS,
            schedule=SCHEDULE,
        )
        await runtime.run([controller], stop)
