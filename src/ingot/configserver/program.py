"""The config server, put together and run until told to end."""

from __future__ import annotations

import asyncio
import logging
import time

from ingot.configserver.answering import Desk
from ingot.configserver.keeping import Keeper
from ingot.configserver.ledger import Ledger
from ingot.configserver.options import Options
from ingot.configserver.role import Role
from ingot.configserver.serving import Door, tls_of
from ingot.configserver.shelf import Shelf
from ingot.errors import IngotError
from ingot.kube.access import from_environment
from ingot.kube.client import KubeClient

__all__ = ["run"]

log = logging.getLogger(__name__)

API_SECONDS = 10.0
"""Less than Ignition waits for an answer; it then hears from us that the API is away."""


async def run(options: Options, stop: asyncio.Event) -> None:
    """Serve until the event is set.

    Raises:
        IngotError: there is nothing to serve with, or no way to the API.
    """
    tls = tls_of(options.certificate, options.key)
    shelf = Shelf(options.folder)
    log.info("%d hosts may ask", len(shelf.roster().hosts))
    for role in Role:
        _look_at(shelf, role)
    if not options.cluster.config_ca:
        log.warning(
            "%s is missing: nodes will not know how to ask again", options.folder / "ca.crt"
        )
    access = from_environment(options.kubeconfig)
    async with KubeClient(access, deadline=API_SECONDS, field_manager="ingot-config") as client:
        keeper = Keeper(client)
        desk = Desk(
            cluster=options.cluster,
            shelf=shelf,
            keeper=keeper,
            ledger=Ledger(keeper, time.monotonic),
            clock=time.monotonic,
        )
        async with Door(desk, tls).served(options.address, options.port) as port:
            log.info("serving on port %d", port)
            await stop.wait()


def _look_at(shelf: Shelf, role: Role) -> None:
    try:
        shelf.config(role)
    except IngotError as error:
        log.warning("nobody can become a %s yet: %s", role.value, error.what)
