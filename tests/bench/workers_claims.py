"""Ten Machines that want a host at the same moment, on an API server of their own.

With more controllers than one, all believe that they lead, as a former leader does for a moment:
then only the API server keeps Machines and hosts apart.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingot.machineapi import annotation
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.clinic import machine_api
from tests.integration.machineapi.machines.site import Site, site

__all__ = ["report"]

CLAIMS: Final = 10
ROUNDS: Final = 5
ROUND_SECONDS: Final = 120.0
CONFLICT: Final = 409


@dataclass
class Round:
    """What came of ten claims.

    Attributes:
        seconds: until each host had its Machine.
        refused: writes that did not hold, since somebody else was faster.
    """

    seconds: float = 0.0
    refused: int = 0

    def answered(self, method: str, code: int) -> None:
        """Count an answer of the API server."""
        self.refused += method == "PATCH" and code == CONFLICT


def report(*, controllers: int = 1) -> None:
    """Print how long ten claims at once take, where it is certain that none met another.

    Args:
        controllers: how many work at the same time.
    """
    print(f"{CLAIMS} Machines at once for {CLAIMS} hosts, controllers: {controllers}")
    with tempfile.TemporaryDirectory() as folder, machine_api(Path(folder)) as api:
        rounds = [asyncio.run(_claimed(api, controllers, number)) for number in range(ROUNDS)]
    seconds = [one.seconds for one in rounds]
    median, refused = statistics.median(seconds), [one.refused for one in rounds]
    print(f"  all have one after {median:.2f} s ({min(seconds):.2f} to {max(seconds):.2f})")
    print(f"  writes that were refused, in each of {ROUNDS} rounds: {' '.join(map(str, refused))}")
    print("  in none of them has a host two Machines, or a Machine two hosts")


async def _claimed(api: KubeApi, controllers: int, number: int) -> Round:
    """Have ten Machines claim ten hosts, in a namespace of their own."""
    namespace = f"claims-{number}"
    body = {"metadata": {"name": namespace}}
    await asyncio.to_thread(api.request, "POST", "/api/v1/namespaces", body)
    seen = Round()
    async with asyncio.timeout(ROUND_SECONDS), AsyncExitStack() as running:
        sites = [
            await running.enter_async_context(site(api, namespace)) for _ in range(controllers)
        ]
        here = sites[0]
        await asyncio.gather(*(here.host(f"host-{each}") for each in range(CLAIMS)))
        for one in sites:
            one.parts.client.on_answer.append(seen.answered)
        begun = time.perf_counter()
        await asyncio.gather(*(here.machine(f"machine-{each}") for each in range(CLAIMS)))
        await here.eventually(lambda: _without(here), 0)
        seen.seconds = time.perf_counter() - begun
        await _check(here)
    return seen


async def _without(here: Site) -> int:
    """Return how many hosts are nobody's."""
    return sum(host.model.spec.consumer_ref is None for host in await here.hosts())


async def _check(here: Site) -> None:
    """Make sure that each host has a Machine of its own, which names that host."""
    consumers = {
        str(host.key): reference.name
        for host in await here.hosts()
        if (reference := host.model.spec.consumer_ref)
    }
    named = {
        machine.key.name: machine.metadata.annotations.get(annotation.HOST, "")
        for machine in await here.machines()
    }
    assert len(set(consumers.values())) == len(named) == CLAIMS, consumers
    assert {machine: host for host, machine in consumers.items()} == named
