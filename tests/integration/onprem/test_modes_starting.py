"""A bootstrap and three control-plane nodes that start in every order: never two holders."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE, double
from tests.integration.onprem.monitored import Monitored, monitored
from tests.integration.onprem.starting import bootstrap_of, wait_for_states
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Plan, Role
from tests.onprem_site.prober import Prober, watching

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

CONTROL = 3


def orders() -> Iterator[tuple[str, ...]]:
    """Yield every order of the control plane, with the bootstrap at a place of its own in each."""
    names = [f"control-{index}" for index in range(CONTROL)]
    for seed, order in enumerate(permutations(names)):
        place = random.Random(seed).randint(0, CONTROL)  # noqa: S311 - the same each time
        yield (*order[:place], "bootstrap", *order[place:])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """A bootstrap and three control-plane nodes, with API servers that are ready."""
    plan = Plan(bootstrap=True, control=CONTROL, workers=0)
    with monitored(tmp_path_factory.mktemp("orders"), plan, coredns_program) as found:
        found.serve(*found.site.of())
        yield found


@pytest.fixture
def seen(site: Monitored) -> Iterator[Prober]:
    """The observer, from a moment on at which nobody holds the VIP."""
    for name in list(site.monitors):
        site.monitors.pop(name).kill()
    with watching(site.site, site.api_vip) as prober:
        prober.wait_for(site.api_vip, within=10)
        eventually(
            lambda: not any(node.pids("keepalived") for node in site.site.of()),
            within=10,
            every=0.1,
        )
        yield prober


def wait_for_keepalived(node: Node) -> None:
    eventually(lambda: bool(node.pids("keepalived")), within=30, every=0.02)


@pytest.mark.parametrize("order", list(orders()), ids=",".join)
def test_start_in_every_order(site: Monitored, seen: Prober, order: tuple[str, ...]) -> None:
    begun = time.monotonic()
    for name in order:
        site.watch_over(site.site[name])
        wait_for_keepalived(site.site[name])
    wait_for_states(site, "backup", *site.site.of("", Role.CONTROL))
    wait_for_states(site, "master", bootstrap_of(site))
    seen.wait_for(site.api_vip, "bootstrap", within=5)
    assert double(site, seen, begun) <= ADVERT + LATE
