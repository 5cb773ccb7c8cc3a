"""The ingress VIP: with a router that lives, the default one first, on a worker if it can be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.onprem.holding import ADVERT, LATE
from tests.integration.onprem.monitored import Monitored, monitored
from tests.onprem_site.observation import contested, longest
from tests.onprem_site.plan import Plan
from tests.onprem_site.prober import watching
from tests.onprem_site.servers import router, start
from tests.onprem_site.service import Mode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.fixture
def mixed(tmp_path: Path, coredns_program: Path) -> Iterator[Monitored]:
    """One control-plane node and two workers, with monitors."""
    plan = Plan(bootstrap=False, control=1, workers=2)
    with monitored(tmp_path, plan, coredns_program) as found:
        found.serve(found.site["control-0"])
        found.watch_over(*found.site.of())
        yield found


def test_the_ingress_vip_is_where_the_best_router_is_and_nowhere_without_one(
    mixed: Monitored,
) -> None:
    vip = mixed.ingress_vip
    routers = {node.name: router(node, None) for node in mixed.site.of()}
    with watching(mixed.site, vip) as seen:
        start(routers["worker-0"])
        seen.wait_for(vip, "worker-0", within=60)
        (mixed.site["worker-1"].folder / "pods" / "ingress_router-default-1").mkdir(parents=True)
        start(routers["worker-1"])
        seen.wait_for(vip, "worker-1", within=20)  # the default router
        routers["worker-1"].become(Mode.UNREADY)
        seen.wait_for(vip, "worker-1", within=20, lasting=2)  # being drained is better than less
        routers["worker-1"].kill()
        seen.wait_for(vip, "worker-0", within=5)
        start(routers["control-0"])
        seen.wait_for(vip, "worker-0", within=20, lasting=2)
        routers["worker-0"].become(Mode.HANG)
        seen.wait_for(vip, "control-0", within=10)  # better than none
        routers["control-0"].kill()
        seen.wait_for(vip, within=5)
        over_time = seen.spans(vip)
    assert longest(contested(over_time)) <= ADVERT + LATE
    assert "has no live router" in mixed.log(mixed.site["control-0"])
