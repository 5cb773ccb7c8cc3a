"""What has gone wrong in the field with a bootstrap's VIP, mode by mode, and does not here.

The modes are those of docs/reference/onprem-failures.md.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.onprem.handover import LOOKS_WITHOUT_API
from tests.integration.onprem.holding import ADVERT, LATE, absent, double, moved_from
from tests.integration.onprem.monitored import Monitored, monitored
from tests.integration.onprem.starting import (
    blank,
    bootstrap_of,
    established,
    holders_since,
    wait_for_states,
)
from tests.onprem_site.availability import asking, longest_gap
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Plan, Role
from tests.onprem_site.prober import Prober, watching
from tests.onprem_site.service import Mode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """A bootstrap and two control-plane nodes. Nothing is provisioned from it."""
    plan = Plan(bootstrap=True, control=2, workers=0)
    with monitored(tmp_path_factory.mktemp("modes"), plan, coredns_program) as found:
        yield found


@pytest.fixture
def young(site: Monitored) -> Monitored:
    blank(site)
    return site


@pytest.fixture
def seen(young: Monitored) -> Iterator[Prober]:
    with watching(young.site, young.api_vip) as prober:
        yield prober


@pytest.fixture
def bootstrap(young: Monitored) -> Node:
    return bootstrap_of(young)


@pytest.fixture
def control(young: Monitored) -> tuple[Node, ...]:
    return young.site.of("", Role.CONTROL)


def test_mode_07_bootstrap_gives_up_vip_too_early_on_slow_hosts(
    young: Monitored, seen: Prober, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    young.watch_over(bootstrap)  # Its API server takes its time.
    held = seen.wait_for(young.api_vip, bootstrap.name, within=60)
    young.serve(*control)
    young.watch_over(*control)
    wait_for_states(young, "backup", *control)
    seen.wait_for(young.api_vip, bootstrap.name, within=60, lasting=LOOKS_WITHOUT_API + 3)
    assert young.standing(bootstrap, young.api_vip)["why"] == "holds it until its API has started"
    assert holders_since(young, seen, held) == [{bootstrap.name}]


def test_mode_09_vip_moves_minutes_late(young: Monitored, seen: Prober, bootstrap: Node) -> None:
    established(young)
    begun = time.monotonic()
    young.api[bootstrap.name].become(Mode.UNREADY)  # It still lists Nodes, for a minute or more.
    moved_from(young, seen, bootstrap, within=30)
    assert LOOKS_WITHOUT_API - 1 < time.monotonic() - begun < LOOKS_WITHOUT_API + 3
    assert absent(young, seen, begun) < 0.5
    assert double(young, seen, begun) <= ADVERT + LATE


def test_mode_10_api_outage_at_pivot(
    young: Monitored, seen: Prober, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    first, second = control
    young.serve(bootstrap, first)
    young.watch_over(bootstrap, *control)
    wait_for_states(young, "backup", *control)
    held = seen.wait_for(young.api_vip, bootstrap.name, within=30)
    with asking(young.site.client, young.api_vip, 6443, rate=50) as client:
        client.wait_for(bootstrap.name, within=10)
        (bootstrap.folder / "done").touch()
        told = time.monotonic() - held
        seen.wait_for(young.api_vip, bootstrap.name, within=10, lasting=told + 3)
        assert holders_since(young, seen, held) == [{bootstrap.name}]  # One node is not enough.
        begun = time.monotonic()
        young.serve(second)
        moved_from(young, seen, bootstrap, within=10)
        client.wait_for(first.name, within=10)
    assert longest_gap(client.since(begun)) < 1.0
    assert absent(young, seen, begun) < 0.5
    assert double(young, seen, begun) <= ADVERT + LATE
