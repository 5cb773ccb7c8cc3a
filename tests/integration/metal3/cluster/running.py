"""The controller as a program, with the rights of its own account."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ingot.assets.metal3cluster import options_of
from ingot.kube.access import from_kubeconfig
from ingot.metal3.cluster.program import run
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.cluster.site import Site, account
from tests.unit.assets.clusters import PAYLOAD, cluster


@contextmanager
def controller(api: KubeApi, site: Site) -> Iterator[None]:
    """Run the controller as its account until the end of the block."""
    kubeconfig = account(api, site)
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    options = options_of(cluster(), PAYLOAD)
    ended: list[BaseException | None] = []

    def work() -> None:
        try:
            access = from_kubeconfig(kubeconfig)
            loop.run_until_complete(run(options, access, stop, health_port=0))
            ended.append(None)
        except BaseException as error:  # noqa: BLE001 - told below
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.close()
    assert ended == [None]
