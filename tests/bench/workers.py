"""How long a cluster takes to have one worker more, by step, and what a router's death costs it.

A server that is available becomes a Ready node by `kubectl scale`. Then, with two workers, the
router dies on the one that holds the ingress VIP.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from ingot.configserver.report import CONFIG_MAPS, key_of
from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.errors import ApiError
from ingot.kube.kind import ObjectKey
from ingot.lab.plan import Role
from ingot.machine.home import Home
from ingot.machineapi.kinds import HOST, NODE
from tests.bench import workers_claims
from tests.bench.workers_router import Death, deaths
from tests.bench.workers_split import STEPS, Moments, boots_on, moment, split
from tests.e2e.cluster import created_cluster
from tests.e2e.lab import created_lab
from tests.e2e.site import eventually
from tests.e2e.workers import INSTALLED_SECONDS, NAMESPACE, Workers, is_ready

__all__ = ["SAMPLES", "report"]

T = TypeVar("T")

SAMPLES: Final = 2
LOOK_SECONDS: Final = 0.5
CLAIM_LOOK_SECONDS: Final = 0.1
"""A claim is a matter of tenths of a second."""
ANSWER_SECONDS: Final = 10.0
OFF_SECONDS: Final = 300.0
"""Told by a reconcile, by Ironic and by the agent's own shutdown."""
OPTIONS: Final = (
    *("--control-plane", "3", "--workers", "1", "--spares", "1"),
    *("--driver", "uml", "--bmc", "redfish"),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the API told of a server that became a node, in seconds since 1970.

    Attributes:
        scaled: when one worker more was asked for.
        claimed: when it was first seen to have a Machine.
        reported: when it told for the first time that it joins.
        ready: since when its Node is Ready.
        provisioned: when metal3 noted that it is written.
    """

    scaled: float
    claimed: float
    reported: float
    ready: float
    provisioned: float


@dataclass(frozen=True, slots=True)
class ScaleUp:
    """How one worker more came to be.

    Attributes:
        moments: when it was how far.
        provisioned: when metal3 noted that it is written, which the server does not wait for.
    """

    moments: Moments
    provisioned: float


def report(*, samples: int = SAMPLES, only_claims: bool = False, controllers: int = 1) -> None:
    """Print both for a cluster in a lab, which is gone afterwards, and then how claims go.

    Args:
        samples: how often a worker is added, and then how often a router dies.
        only_claims: no lab is made.
        controllers: see `workers_claims`.
    """
    if os.geteuid() != 0 and not only_claims:
        print("Workers: not measured, since networks need root")
    elif not only_claims:
        with (
            tempfile.TemporaryDirectory() as folder,
            created_lab(Path(folder), *OPTIONS, name=f"bench{os.getpid()}") as lab,
            created_cluster(lab) as cluster,
        ):
            workers = Workers(cluster)
            names = {host.name for host in lab.plan.hosts if host.role is not Role.CONTROL_PLANE}
            _print_ups([_scaled_up(workers, names) for _ in range(samples)])
            _print_deaths(deaths(cluster, tuple(sorted(names)), samples=samples))
    workers_claims.report(controllers=controllers)


def _scaled_up(workers: Workers, names: set[str]) -> ScaleUp:
    """Add a worker to those that are there, the last of all given back if need be."""
    lab = workers.cluster.lab
    held = set(workers.machines())
    if held == names:
        workers.mark_for_deletion(last := max(names))
        workers.scale(len(names) - 1)
        held -= {last}
    (free,) = names - held
    workers.await_free(free)
    workers.await_ready(*held)
    _turn_off(workers, free)
    seen = asyncio.run(_followed(workers, free, replicas=len(names)))
    console = Home(lab.home / "machines" / free).console.read_text("utf-8", errors="replace")
    boots = boots_on(console, since=seen.scaled)
    moments = Moments(
        scaled=seen.scaled,
        claimed=seen.claimed,
        powered=boots.powered,
        agent=boots.agent,
        booted=boots.booted,
        reported=seen.reported,
        ready=seen.ready,
    )
    return ScaleUp(moments, seen.provisioned)


def _turn_off(workers: Workers, free: str) -> None:
    """Have a host begin from nothing: the agent that inspected it may still wait for its next work.

    A host that is given back is off by itself.
    """
    change = json.dumps({"spec": {"online": False}})
    words = ("patch", "baremetalhost", free, "--type=merge", "-p", change)
    workers.cluster.kubectl(*NAMESPACE, *words)
    eventually(
        lambda: workers.host(free).get("status", {}).get("poweredOn") is False,
        within=OFF_SECONDS,
        every=1,
    )


async def _followed(workers: Workers, name: str, *, replicas: int) -> Seen:
    """Ask for one worker more, and follow the server that is free until its Node is Ready.

    By one connection: kubectl, twice a second, would take a good part of a processor.
    """
    access = from_kubeconfig(workers.cluster.directory / "auth/kubeconfig")
    key = ObjectKey("metal3", name)
    async with (
        asyncio.timeout(INSTALLED_SECONDS),
        KubeClient(access, deadline=ANSWER_SECONDS) as client,
        asyncio.TaskGroup() as group,
    ):
        await client.get(HOST, key)  # It is connected before anything counts.
        scaled = time.time()
        group.create_task(asyncio.to_thread(workers.scale, replicas))

        async def claimed() -> float | None:
            found = await client.get(HOST, key)
            # Whole seconds, as the Machine's condition has them, would hide how long it took.
            return time.time() if found.model.spec.consumer_ref else None

        async def reported() -> float | None:
            found = await client.get(CONFIG_MAPS, key_of(name))
            at = moment(json.loads(found.content["data"]["status"])["at"])
            return at if at >= int(scaled) else None  # Else it is of an earlier life.

        async def ready() -> float | None:
            found = (await client.get(NODE, ObjectKey("", name))).content
            conditions = {one["type"]: one for one in found["status"].get("conditions", ())}
            return moment(conditions["Ready"]["lastTransitionTime"]) if is_ready(found) else None

        async def provisioned() -> float | None:
            found = (await client.get(HOST, key)).content["status"]
            end = found.get("operationHistory", {}).get("provision", {}).get("end")
            return moment(end) if end else None

        return Seen(
            scaled,
            await _answer(claimed, every=CLAIM_LOOK_SECONDS),
            await _answer(reported),
            await _answer(ready),
            await _answer(provisioned),
        )


async def _answer(ask: Callable[[], Awaitable[T | None]], *, every: float = LOOK_SECONDS) -> T:
    """Return the first answer; whoever asks has a deadline."""
    while True:
        try:
            found = await ask()
        except (ApiError, OSError):  # It is not there yet, or the API is away for a moment.
            found = None
        if found is not None:
            return found
        await asyncio.sleep(every)


def _print_ups(ups: Sequence[ScaleUp]) -> None:
    print(f"From `kubectl scale` to a Ready node, {len(ups)} samples in a lab")
    lasted = [split(one.moments) for one in ups]
    for step in STEPS:
        print(f"  {step:<14}{_columns([one[step] for one in lasted])}")
    print(f"  {'all':<14}{_columns([sum(one.values()) for one in lasted])}")
    late = [one.provisioned - one.moments.booted for one in ups]
    print(f"  of `boot`, until metal3 says `provisioned`: {_columns(late)}")


def _print_deaths(seen: Sequence[Death]) -> None:
    print(f"Death of the router that has the ingress VIP, {len(seen)} samples in a lab")
    print(f"  requests fail  {_columns([one.gap.failing for one in seen])}")
    print(f"  nobody answers {_columns([one.gap.silent for one in seen])}")
    print(f"  requests lost  {''.join(f'{one.gap.lost:8}  ' for one in seen)}")
    moved = [one.moved for one in seen if one.moved is not None]
    print(f"  VIP moved after{_columns(moved)}   (it stayed {len(seen) - len(moved)} times)")


def _columns(seconds: Sequence[float]) -> str:
    each = "".join(f"{one:8.1f} s" for one in seconds)
    return f"{each}   median {statistics.median(seconds):.1f} s" if seconds else "     none"
