"""What the field's keepalived does with the ingress VIP, row by row, and what ours does.

The rows are those of docs/reference/onprem-failures.md; its m1 is worker-0 here, its m2 worker-1.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE
from tests.integration.onprem.monitored import Monitored, monitored
from tests.onprem_site.observation import Span, contested, longest, spans, vacant
from tests.onprem_site.plan import Plan
from tests.onprem_site.prober import Prober, watching
from tests.onprem_site.servers import Server, router
from tests.onprem_site.service import Mode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

Routers = dict[str, Server]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """A control-plane node without an API server, and two workers; peers are as planned."""
    plan = Plan(bootstrap=False, control=1, workers=2)
    with monitored(tmp_path_factory.mktemp("ingress"), plan, coredns_program) as found:
        found.watch_over(*found.site.of())
        yield found


@pytest.fixture(scope="module")
def all_routers(site: Monitored) -> Routers:
    found = {node.name: router(node, None) for node in site.site.of()}
    for one in found.values():
        one.start()
        one.become(Mode.REFUSE)
    return found


@pytest.fixture
def routers(site: Monitored, all_routers: Routers) -> Routers:
    """A router on each node, none of which lives yet; none is the default one."""
    eventually(lambda: states(site) == {"fault"}, within=60, every=0.1)
    return all_routers


@pytest.fixture
def seen(site: Monitored, routers: Routers) -> Iterator[Prober]:
    with watching(site.site, site.ingress_vip) as prober:
        prober.wait_for(site.ingress_vip, within=10)
        yield prober
        for name, one in routers.items():
            shutil.rmtree(site.site[name].folder / "pods", ignore_errors=True)
            one.become(Mode.REFUSE)
        assert longest(contested(prober.spans(site.ingress_vip))) <= ADVERT + LATE


def states(site: Monitored) -> set[str]:
    return {site.standing(node, site.ingress_vip).get("state", "") for node in site.site.of()}


def appears_on_second(site: Monitored, routers: Routers) -> None:
    """Let the default router appear on worker-1."""
    (site.site["worker-1"].folder / "pods/ingress_router-default-1").mkdir(parents=True)
    routers["worker-1"].become(Mode.READY)


def since(site: Monitored, seen: Prober, moment: float) -> list[Span]:
    looks = [look for look in seen.read() if look.at >= moment]
    return spans(looks, str(site.ingress_vip))


def test_row_no_router_anywhere(site: Monitored, seen: Prober) -> None:
    seen.wait_for(site.ingress_vip, within=10, lasting=2)


def test_row_healthz_on_m1_only(site: Monitored, routers: Routers, seen: Prober) -> None:
    begun = time.monotonic()
    routers["worker-0"].become(Mode.UNREADY)  # `/healthz`, and not `/healthz/ready`
    held = seen.wait_for(site.ingress_vip, "worker-0", within=10, lasting=1)
    assert held - begun < 3.0
    assert site.standing(site.site["worker-0"], site.ingress_vip)["priority"] == 25


def test_row_default_router_appears_on_m2(site: Monitored, routers: Routers, seen: Prober) -> None:
    routers["worker-0"].become(Mode.READY)
    seen.wait_for(site.ingress_vip, "worker-0", within=10, lasting=0.5)
    begun = time.monotonic()
    appears_on_second(site, routers)
    held = seen.wait_for(site.ingress_vip, "worker-1", within=10, lasting=1)
    assert held - begun < 2.0
    assert longest(vacant(since(site, seen, begun))) <= ADVERT


def test_row_m2_ready_fails_while_it_drains(
    site: Monitored, routers: Routers, seen: Prober
) -> None:
    routers["worker-0"].become(Mode.READY)
    appears_on_second(site, routers)
    begun = seen.wait_for(site.ingress_vip, "worker-1", within=10, lasting=0.5)
    routers["worker-1"].become(Mode.UNREADY)
    drained = site.site["worker-1"]
    eventually(
        lambda: site.standing(drained, site.ingress_vip).get("priority") == 75,
        within=10,
        every=0.05,
    )
    reached = time.monotonic()
    seen.wait_for(site.ingress_vip, "worker-1", within=10, lasting=reached - begun + 2)
    assert [span.holders for span in since(site, seen, begun)] == [{"worker-1"}]


def test_row_m2_healthz_fails(site: Monitored, routers: Routers, seen: Prober) -> None:
    routers["worker-0"].become(Mode.READY)
    appears_on_second(site, routers)
    seen.wait_for(site.ingress_vip, "worker-1", within=10, lasting=0.5)
    begun = time.monotonic()
    routers["worker-1"].become(Mode.SICK)
    held = seen.wait_for(site.ingress_vip, "worker-0", within=10, lasting=1)
    assert held - begun < 1.5
    assert longest(vacant(since(site, seen, begun))) < 0.5
