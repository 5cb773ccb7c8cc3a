"""The program of all controllers of machines, from its start to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Final

from ingot.kube.access import from_environment
from ingot.kube.client import KubeClient
from ingot.kube.kind import ObjectKey
from ingot.kube.runtime import Runtime
from ingot.kube.serving import Endpoints
from ingot.machineapi.options import Options
from ingot.machineapi.parts import Parts, Room

__all__ = ["COMPONENT", "LEASE", "run"]

log = logging.getLogger(__name__)

COMPONENT: Final = "machine-controller"
"""Who events come from, and whose fields are written."""

LEASE: Final = "ingot-machine-controller"


async def run(
    options: Options,
    stop: asyncio.Event,
    *,
    rooms: Sequence[Callable[[Parts], Room]],
) -> None:
    """Look after machines until told to stop.

    Args:
        options: what the program is told.
        stop: set when nothing more shall be begun.
        rooms: what makes each of the rooms that run.

    Raises:
        IngotError: it cannot go on, and a new process should try again.
    """
    access = from_environment(options.kubeconfig)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(KubeClient(access, field_manager=COMPONENT))
        runtime = Runtime(client, component=COMPONENT, namespace=options.namespace)
        parts = Parts(runtime=runtime, patience=options.patience)
        controllers = [one for make in rooms for one in make(parts).controllers()]
        pages = Endpoints(runtime.metrics, runtime.health)
        port = await stack.enter_async_context(pages.served(port=options.health_port))
        log.info("health and metrics on port %d", port)
        lease = ObjectKey(options.own_namespace, LEASE)
        leadership = runtime.leadership(lease, terms=options.terms) if options.terms else None
        await runtime.run(controllers, stop, leadership=leadership)
