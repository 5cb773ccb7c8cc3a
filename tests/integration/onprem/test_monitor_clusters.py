"""Two clusters in one broadcast domain, whose names give them the same router ids."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ingot.onprem.vrid import router_ids
from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE, holder, moved_from, settled
from tests.integration.onprem.monitored import cluster_of
from tests.onprem_site.observation import contested, longest
from tests.onprem_site.plan import Plan
from tests.onprem_site.prober import watching
from tests.onprem_site.site import opened_site

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

NAMES = ("one", "alf")


def test_two_clusters_with_the_same_router_ids_do_not_meet(
    tmp_path_factory: pytest.TempPathFactory, coredns_program: Path
) -> None:
    assert router_ids(NAMES[0]) == router_ids(NAMES[1])
    plan = Plan(clusters=NAMES, bootstrap=False, control=2, workers=0)
    with opened_site(tmp_path_factory.mktemp("two"), plan) as site:
        both = [cluster_of(site, index, coredns_program) for index in range(2)]
        with watching(site, *(one.api_vip for one in both)) as seen:
            for one in both:
                nodes = site.of(one.cluster.name)
                one.serve(*nodes)
                one.watch_over(*nodes)
            eventually(lambda: all(map(settled, both)), within=60, every=0.1)
            first, second = both
            old, other = (holder(one, seen) for one in both)
            begun = time.monotonic()
            first.faults.kill(old.name, "keepalived")
            moved_from(first, seen, old, within=5)
            eventually(lambda: settled(first), within=30, every=0.1)
            for one in both:
                names = {node.name for node in site.of(one.cluster.name)}
                over_time = seen.spans(one.api_vip)
                assert all(span.holders <= names for span in over_time)
                assert longest(contested(over_time)) <= ADVERT + LATE
            later = [span for span in seen.spans(second.api_vip) if span.end > begun]
            assert [span.holders for span in later] == [{other.name}]
