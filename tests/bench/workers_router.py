"""How long the ingress VIP is without a router when the one on its holder dies, in a cluster.

The router is killed as a crash does, and kubelet starts it again. A client asks ten times a second
for a route that the router itself answers: no application has a part in it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from ingot.assets.namespaces import INGRESS
from ingot.assets.routerpod import NAME
from ingot.assets.traefik import CLASS, KNOWS_ROUTES
from ingot.onprem.monitor.duties import ROUTER_PORT
from ingot.onprem.monitor.options import METRICS_PORT
from tests.bench.onprem import Gap, gap_of
from tests.e2e.cluster import Cluster
from tests.e2e.site import eventually
from tests.onprem_site.availability import Client

__all__ = ["Death", "deaths"]

ASKED_A_SECOND: Final = 10
PATIENCE_SECONDS: Final = 1
BEFORE: Final = 2.0
AFTER: Final = 2.0
SETTLES_WITHIN: Final = 600.0
MOVES_WITHIN: Final = 30.0
LOOK_SECONDS: Final = 0.1
PATH: Final = "/bench"
HELD: Final = "ingot_vip_held"
PRIORITY: Final = "ingot_vip_priority"

KILL: Final = "date +%s.%N; pkill -KILL -x traefik"
"""SSH takes longer than the VIP does: the node tells when the router died."""


@dataclass(frozen=True, slots=True)
class Death:
    """What came of a router's death.

    Attributes:
        gap: what a client saw.
        moved: the seconds after which another node held the VIP; None where it stayed.
    """

    gap: Gap
    moved: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a node stands to the ingress VIP, by its monitor.

    Attributes:
        holds: whether it has it.
        priority: its own; 0 where it may not hold it.
    """

    holds: bool
    priority: float


def deaths(cluster: Cluster, workers: tuple[str, ...], *, samples: int) -> list[Death]:
    """Kill the router of whoever holds the ingress VIP so often, each time when all is well."""
    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(_route()))
    return [_died(cluster, workers, number) for number in range(samples)]


def _died(cluster: Cluster, workers: tuple[str, ...], number: int) -> Death:
    vip = str(cluster.lab.plan.networks.ingress_vip)
    # A router that died before is started later each time.
    holder = eventually(lambda: _settled(cluster, workers), within=SETTLES_WITHIN)
    others = [name for name in workers if name != holder]
    with _asking(vip, cluster.directory.parent / f"ingress-{number}.jsonl") as client:
        eventually(lambda: _is_served(client, BEFORE), within=SETTLES_WITHIN)
        begun = time.monotonic()
        with ThreadPoolExecutor(1) as thread:
            told = thread.submit(cluster.ssh, holder, KILL)
            moved = _moved(cluster, others)
        died = max(float(told.result()) - time.time() + time.monotonic(), begun)
        eventually(lambda: _is_served(client, AFTER), within=SETTLES_WITHIN)
    return Death(gap_of(client.since(begun)), moved - died if moved else None)


def _moved(cluster: Cluster, others: list[str]) -> float | None:
    """Return when another node was first seen to hold the VIP; None where that is not so."""
    until = time.monotonic() + MOVES_WITHIN
    while time.monotonic() < until:
        for name in others:
            stands = _standing(cluster, name)
            if stands and stands.holds:
                return time.monotonic()
        time.sleep(LOOK_SECONDS)
    return None


def _settled(cluster: Cluster, workers: tuple[str, ...]) -> str | None:
    """Return who alone holds the VIP, where all may and none is better than the others."""
    stands = {name: _standing(cluster, name) for name in workers}
    known = {name: one for name, one in stands.items() if one and one.priority > 0}
    holders = [name for name, one in known.items() if one.holds]
    alike = len({one.priority for one in known.values()}) == 1
    return holders[0] if len(known) == len(workers) and alike and len(holders) == 1 else None


def _standing(cluster: Cluster, node: str) -> Standing | None:
    """Return how a node stands to the ingress VIP; None where its monitor does not say."""
    vip = str(cluster.lab.plan.networks.ingress_vip)
    address = cluster.lab.host(node).nics[-1].address
    try:
        with httpx2.Client(trust_env=False, timeout=2) as client:
            page = client.get(f"http://{address}:{METRICS_PORT}/metrics").text
    except httpx2.HTTPError:
        return None
    said = {
        one.name: one.value
        for family in text_string_to_metric_families(page)
        for one in family.samples
        if one.labels.get("vip") == vip
    }
    if not {HELD, PRIORITY} <= said.keys():
        return None
    return Standing(said[HELD] == 1, said[PRIORITY])


def _is_served(client: Client, seconds: float) -> bool:
    """Look for a moment, and return whether all that was asked in it was answered."""
    begun = time.monotonic()
    time.sleep(seconds)
    asked = client.since(begun)
    return bool(asked) and all(one.server is not None for one in asked)


def _route() -> dict[str, object]:
    """Return an Ingress that any router answers with 200, for whatever name it is asked."""
    told = "traefik.ingress.kubernetes.io/router"
    backend = {"service": {"name": NAME, "port": {"number": ROUTER_PORT}}}
    paths = [{"path": PATH, "pathType": "Exact", "backend": backend}]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {
            "name": "bench",
            "namespace": INGRESS,
            "annotations": {
                f"{told}.entrypoints": "web",
                f"{told}.middlewares": f"{KNOWS_ROUTES}@file",
            },
        },
        "spec": {"ingressClassName": CLASS, "rules": [{"http": {"paths": paths}}]},
    }


@contextmanager
def _asking(vip: str, record: Path) -> Iterator[Client]:
    """Ask at the VIP from the user's shell, until the end of the block."""
    words = (str(record), vip, "80", PATH, str(ASKED_A_SECOND), str(PATIENCE_SECONDS), "")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.onprem_site.requesting", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()  # It is ready: the record is there.
        try:
            yield Client(record)
        finally:
            process.stdin.close()
            process.wait(10 * PATIENCE_SECONDS)
