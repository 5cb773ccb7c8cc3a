"""The same with IPv6, and with both families: each VIP has one holder, and both move."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE
from tests.integration.onprem.monitored import Monitored, monitored
from tests.onprem_site.availability import asking
from tests.onprem_site.observation import contested, longest
from tests.onprem_site.plan import Families, Plan, Role
from tests.onprem_site.prober import watching

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.mark.parametrize("families", [Families.V6, Families.DUAL])
def test_the_vips_of_every_family_are_served_and_move(
    tmp_path: Path, coredns_program: Path, families: Families
) -> None:
    plan = Plan(families=families, bootstrap=False, control=2, workers=0)
    with monitored(tmp_path, plan, coredns_program) as found:
        nodes = found.site.of("", Role.CONTROL)
        found.serve(*nodes)
        found.watch_over(*nodes)
        vips = found.cluster.api_vips
        with watching(found.site, *vips) as seen:
            eventually(lambda: settled(found), within=60, every=0.1)
            for vip in vips:
                with asking(found.site.client, vip, 6443, rate=20) as client:
                    for node in nodes:
                        client.wait_for(node.name, within=20)
            begun = time.monotonic()
            held = eventually(lambda: seen.holders(vips[0]) or None, within=10, every=0.02)
            old = found.site[next(iter(held))]
            found.faults.kill(old.name, "haproxy")
            for vip in vips:
                other = next(node.name for node in nodes if node is not old)
                seen.wait_for(vip, other, within=10)
            eventually(lambda: settled(found), within=30, every=0.1)
            for vip in vips:
                over_time = [span for span in seen.spans(vip) if span.end > begun]
                assert longest(contested(over_time)) <= ADVERT + LATE


def settled(found: Monitored) -> bool:
    """Tell whether each VIP has one holder and the other node waits."""
    nodes = found.site.of("", Role.CONTROL)
    return all(
        sorted(found.standing(node, vip).get("state", "") for node in nodes) == ["backup", "master"]
        for vip in found.cluster.api_vips
    )
