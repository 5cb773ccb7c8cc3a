"""What the field's keepalived does on a bootstrap, row by row, and what ours does instead.

The rows are those of docs/reference/onprem-failures.md.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE, absent, double, moved_from
from tests.integration.onprem.monitored import Monitored, monitored
from tests.integration.onprem.starting import (
    blank,
    bootstrap_of,
    established,
    hears_an_advert,
    holders_since,
    peers_in_file,
    wait_for_states,
)
from tests.onprem_site.node import Node
from tests.onprem_site.nodestore import NodeStore
from tests.onprem_site.plan import Plan, Role
from tests.onprem_site.prober import Prober, watching

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

NOBODY = {"0.0.0.0"}  # noqa: S104 - nothing is bound to it


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """A bootstrap and three control-plane nodes."""
    plan = Plan(bootstrap=True, control=3, workers=0)
    with monitored(tmp_path_factory.mktemp("rows"), plan, coredns_program) as found:
        yield found


@pytest.fixture
def seen(site: Monitored) -> Iterator[Prober]:
    with watching(site.site, site.api_vip) as prober:
        yield prober


@pytest.fixture
def young(site: Monitored) -> Monitored:
    """Nodes of which nothing runs yet."""
    blank(site)
    return site


@pytest.fixture
def grown(site: Monitored) -> Iterator[Monitored]:
    """A bootstrap that holds the VIP, and a control plane that could."""
    site.options = {}
    established(site)
    yield site
    site.faults.undo()


@pytest.fixture
def bootstrap(site: Monitored) -> Node:
    return bootstrap_of(site)


@pytest.fixture
def control(site: Monitored) -> tuple[Node, ...]:
    return site.site.of("", Role.CONTROL)


def starts_knowing(young: Monitored, seen: Prober, known: Sequence[Node]) -> float:
    """Start the bootstrap with some of its peers planned and no Nodes; tell when it held the VIP.

    The control plane is planned on its own nodes in any case.
    """
    bootstrap = bootstrap_of(young)
    young.store = NodeStore.made(young.store.path)
    young.serve(bootstrap)
    plan = [
        {"name": one.name, "role": "control-plane", "addresses": [str(one.seat.address)]}
        for one in known
    ]
    young.options = {"planned": plan}
    young.watch_over(bootstrap)
    young.options = {}
    return seen.wait_for(young.api_vip, bootstrap.name, within=60)


def learns(young: Monitored, control: Sequence[Node]) -> None:
    """Let the API know all control-plane nodes, and wait until the bootstrap speaks to the last."""
    bootstrap = bootstrap_of(young)
    young.store.join(*(node.seat for node in control))
    wanted = {str(node.seat.address) for node in control}
    eventually(lambda: peers_in_file(bootstrap) == wanted, within=30, every=0.05)
    assert hears_an_advert(control[-1]).priority == 70


def test_row_bootstrap_has_empty_peers_then_masters_start_in_unicast(
    young: Monitored, seen: Prober, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    young.serve(bootstrap)
    young.watch_over(bootstrap)
    held = seen.wait_for(young.api_vip, bootstrap.name, within=60)
    assert peers_in_file(bootstrap) == {str(node.seat.address) for node in control}  # never empty
    young.serve(*control)
    young.watch_over(*control)
    wait_for_states(young, "backup", *control)
    assert holders_since(young, seen, held) == [{bootstrap.name}]


def test_row_bootstrap_reloads_from_no_peers_to_three_alone(
    young: Monitored, seen: Prober, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    held = starts_knowing(young, seen, ())
    assert peers_in_file(bootstrap) == NOBODY
    learns(young, control)
    assert holders_since(young, seen, held) == [{bootstrap.name}]


def test_row_bootstrap_reloads_from_no_peers_to_three_with_masters_up(
    young: Monitored, seen: Prober, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    held = starts_knowing(young, seen, ())
    young.watch_over(*control)
    wait_for_states(young, "fault", *control)  # No API server is there for them yet.
    learns(young, control)
    young.serve(*control)
    wait_for_states(young, "backup", *control)
    assert holders_since(young, seen, held) == [{bootstrap.name}]


def test_row_bootstrap_reloads_from_one_peer_to_three(
    young: Monitored, seen: Prober, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    held = starts_knowing(young, seen, control[:1])
    assert peers_in_file(bootstrap) == {str(control[0].seat.address)}
    learns(young, control)
    assert holders_since(young, seen, held) == [{bootstrap.name}]


def test_row_sigterm_of_bootstrap(grown: Monitored, seen: Prober, bootstrap: Node) -> None:
    begun = time.monotonic()
    assert grown.stop(bootstrap) == 0
    moved_from(grown, seen, bootstrap, within=5)
    assert absent(grown, seen, begun) < 0.5
    assert double(grown, seen, begun) <= ADVERT + LATE


def test_row_unclean_kill_of_bootstrap(grown: Monitored, seen: Prober, bootstrap: Node) -> None:
    begun = time.monotonic()
    grown.faults.power_off(bootstrap.name)
    del grown.api[bootstrap.name], grown.monitors[bootstrap.name]
    moved_from(grown, seen, bootstrap, within=5)
    assert absent(grown, seen, begun) < 1.0
    assert double(grown, seen, begun) <= ADVERT + LATE


def test_row_unclean_kill_leaves_no_vip_on_the_dead_node(
    grown: Monitored, seen: Prober, bootstrap: Node
) -> None:
    before = set(bootstrap.pids("keepalived"))
    begun = time.monotonic()
    grown.faults.kill(bootstrap.name, "keepalived")
    eventually(lambda: bool(set(bootstrap.pids("keepalived")) - before), within=10, every=0.02)
    started = time.monotonic()
    held = seen.wait_for(grown.api_vip, bootstrap.name, within=10, lasting=1)
    assert held - started < 2.0
    assert double(grown, seen, begun) <= ADVERT + LATE


def test_row_restart_of_bootstrap_preempts_back(
    grown: Monitored, seen: Prober, bootstrap: Node
) -> None:
    begun = time.monotonic()
    assert grown.stop(bootstrap) == 0
    moved_from(grown, seen, bootstrap, within=5)
    grown.watch_over(bootstrap)
    eventually(lambda: bool(bootstrap.pids("keepalived")), within=20, every=0.02)
    started = time.monotonic()
    held = seen.wait_for(grown.api_vip, bootstrap.name, within=10, lasting=1)
    assert held - started < 2.0
    assert absent(grown, seen, begun) < 0.5
    assert double(grown, seen, begun) <= ADVERT + LATE
