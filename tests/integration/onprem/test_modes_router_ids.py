"""What has gone wrong in the field by router ids, mode by mode, and does not here.

The modes are those of docs/reference/onprem-failures.md.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.onprem.vrid import router_ids
from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE
from tests.integration.onprem.monitored import Monitored, monitored
from tests.integration.onprem.starting import holders_since
from tests.onprem_site.node import Node
from tests.onprem_site.observation import contested, longest
from tests.onprem_site.plan import Plan
from tests.onprem_site.prober import watching
from tests.onprem_site.servers import router, start

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

STRANGER = """
global_defs {{
    vrrp_version 2
}}
vrrp_instance stranger {{
    state MASTER
    interface eth0
    virtual_router_id {router_id}
    priority 250
    advert_int 1
    authentication {{
        auth_type PASS
        auth_pass other_ap
    }}
    virtual_ipaddress {{
        10.88.0.77/32 dev eth0
    }}
}}
"""
"""A cluster of the field that speaks multicast, with our number and another password."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """A control-plane node and a worker, both with a router that lives."""
    plan = Plan(bootstrap=False, control=1, workers=1)
    with monitored(tmp_path_factory.mktemp("ids"), plan, coredns_program) as found:
        found.serve(found.site["control-0"])
        found.watch_over(*found.site.of())
        start(*(router(node, None) for node in found.site.of()))
        yield found


def numbers(node: Node) -> dict[str, int]:
    """Return the router id of each instance of a node."""
    text = (node.folder / "run/onprem/keepalived.conf").read_text()
    found = re.findall(r"vrrp_instance \w+_([A-Z]+)_0 {.*?virtual_router_id (\d+)", text, re.DOTALL)
    return {kind: int(number) for kind, number in found}


def test_mode_01_vip_on_a_master_and_a_worker(site: Monitored) -> None:
    vip, names = site.ingress_vip, {node.name for node in site.site.of()}
    with watching(site.site, vip) as seen:
        eventually(
            lambda: (
                {site.standing(site.site[name], vip).get("state") for name in names}
                == {"master", "backup"}
            ),
            within=60,
            every=0.1,
        )
        seen.wait_for(vip, "worker-0", within=10, lasting=1)
        assert longest(contested(seen.spans(vip))) <= ADVERT + LATE
    ours = router_ids(site.cluster.name)
    assert numbers(site.site["control-0"]) == {"API": ours.api, "INGRESS": ours.ingress}
    assert numbers(site.site["worker-0"]) == {"INGRESS": ours.ingress}


def test_mode_02_a_stranger_speaks_multicast_with_our_router_id(site: Monitored) -> None:
    node, client, vip = site.site["control-0"], site.site.client, site.api_vip
    number = router_ids(site.cluster.name).api
    conf = client.folder / "stranger.conf"
    conf.write_text(STRANGER.format(router_id=number))
    with watching(site.site, vip) as seen:
        seen.wait_for(vip, node.name, within=60)
        begun = time.monotonic()
        stranger = client.start("keepalived", "-n", "-P", "-l", "-D", "-f", conf, name="stranger")
        try:
            clash = f"virtual router id {number}, ours for api, is also used by"
            (said,) = eventually(
                lambda: site.status(node).get("clashes") or None, within=20, every=0.1
            )
            assert said == f"{clash} {client.seat.address}"
            assert said in site.log(node)
            eventually(lambda: "10.88.0.77" in client.vips(), within=20, every=0.1)
            seen.wait_for(vip, node.name, within=10, lasting=1)
        finally:
            stranger.stop()
        assert holders_since(site, seen, begun) == [{node.name}]
