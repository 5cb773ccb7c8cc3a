"""Three control-plane nodes with monitors: one holder of the API's VIP, whatever befalls it."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from ingot.onprem.monitor.urgency import is_urgent
from tests.e2e.site import eventually
from tests.integration.onprem.holding import (
    ADVERT,
    LATE,
    absent,
    double,
    holder,
    moved_from,
    settled,
)
from tests.integration.onprem.monitored import Monitored, running_programs
from tests.onprem_site.availability import asking, longest_gap, servers
from tests.onprem_site.node import Node
from tests.onprem_site.prober import Prober

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="networks need root"),
]

DAEMONS = {"keepalived", "haproxy", "coredns"}


def test_a_holder_that_stops_is_followed_at_once_and_another_follows_that(
    trio: Monitored, seen: Prober
) -> None:
    first = holder(trio, seen)
    with asking(trio.site.client, trio.api_vip, 6443, rate=20) as client:
        begun = time.monotonic()
        assert trio.stop(first) == 0
        second = moved_from(trio, seen, first, within=5)
        assert set(running_programs(first)) & DAEMONS == set()
        assert not first.vips()
        trio.watch_over(first)
        eventually(lambda: trio.standing(first, trio.api_vip).get("state") == "backup", within=30)
        assert trio.stop(second) == 0
        moved_from(trio, seen, second, within=5)
        trio.watch_over(second)
    assert double(trio, seen, begun) <= ADVERT + LATE
    assert absent(trio, seen, begun) < 0.5
    assert len(servers(client.asked)) == 3  # It was balanced, whoever held the VIP.


def test_a_killed_keepalived_loses_its_vip_at_once_and_is_started_again(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    before = set(old.pids("keepalived"))
    begun = time.monotonic()
    trio.faults.kill(old.name, "keepalived")
    moved_from(trio, seen, old, within=5)
    assert double(trio, seen, begun) <= ADVERT + LATE
    eventually(lambda: bool(set(old.pids("keepalived")) - before), within=10, every=0.05)
    assert "taken away" in trio.log(old)


def test_a_vrrp_process_that_dies_alone_takes_its_vip_with_it(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    pid = int((old.folder / "run/onprem/keepalived.vrrp.pid").read_text())
    begun = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    moved_from(trio, seen, old, within=5)
    assert double(trio, seen, begun) <= ADVERT + LATE


def test_a_frozen_keepalived_loses_its_vip_within_two_seconds(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    freezes = trio.status(old)["freezes"]
    begun = time.monotonic()
    trio.faults.pause(old.name, "keepalived")
    moved_from(trio, seen, old, within=5)
    left = next(
        span.end
        for span in seen.spans(trio.api_vip)
        if old.name in span.holders and span.end > begun
    )
    assert left - begun < 2.0
    assert double(trio, seen, begun) < 2.0 - 0.7
    eventually(lambda: trio.status(old)["freezes"] == freezes + 1, within=10)


def test_a_node_that_was_frozen_as_a_whole_gives_way_when_it_continues(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    trio.faults.freeze(old.name)
    moved_from(trio, seen, old, within=5)
    thawed = time.monotonic()
    trio.faults.thaw(old.name)
    eventually(lambda: settled(trio), within=30, every=0.1)
    assert double(trio, seen, thawed) <= ADVERT + LATE


def test_keepalived_runs_in_real_time_also_after_it_has_read_its_peers_again(
    trio: Monitored, seen: Prober
) -> None:
    node = holder(trio, seen)
    files = [node.folder / f"run/onprem/keepalived.{part}.pid" for part in ("parent", "vrrp")]
    before = [int(path.read_text()) for path in files]
    assert list(map(is_urgent, before)) == [True, True]
    begun, reloads = time.monotonic(), trio.log(node).count("Reload complete")
    os.kill(before[0], signal.SIGHUP)
    eventually(lambda: trio.log(node).count("Reload complete") > reloads, within=10, every=0.02)
    seen.wait_for(trio.api_vip, node.name, within=10, lasting=1)
    assert [int(path.read_text()) for path in files] == before
    assert list(map(is_urgent, before)) == [True, True]
    assert absent(trio, seen, begun) == 0


def test_a_dead_balancer_makes_its_node_give_up_the_vip_and_says_so(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    begun = time.monotonic()
    trio.faults.kill(old.name, "haproxy")
    moved_from(trio, seen, old, within=5)
    assert time.monotonic() - begun < 2.0
    assert double(trio, seen, begun) <= ADVERT + LATE
    left = "it has left this node (fault): this node has no balancer that runs"
    eventually(lambda: left in trio.log(old), within=10, every=0.05)
    eventually(lambda: settled_on_another(trio, old), within=10, every=0.05)


@pytest.mark.parametrize("program", ["haproxy", "coredns"])
def test_a_daemon_that_hangs_is_replaced(trio: Monitored, seen: Prober, program: str) -> None:
    old = holder(trio, seen)
    before = trio.status(old)["daemons"][program]["pid"]
    trio.faults.pause(old.name, program)
    if program == "haproxy":
        moved_from(trio, seen, old, within=10)
    eventually(
        lambda: trio.status(old)["daemons"][program]["pid"] not in {None, before},
        within=40,
        every=0.2,
    )


def test_a_dead_api_server_costs_its_node_nothing_and_a_client_little(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    with asking(trio.site.client, trio.api_vip, 6443, rate=20) as client:
        begun = time.monotonic()
        client.wait_for(old.name, within=10)
        trio.api[old.name].kill()
        others = {node.name for node in trio.site.of()} - {old.name}
        eventually(
            lambda: set(servers(client.since(time.monotonic() - 0.5))) == others,
            within=10,
            every=0.05,
        )
        trio.serve(old)
    seen.wait_for(trio.api_vip, old.name, within=5)
    assert double(trio, seen, begun) == 0
    assert absent(trio, seen, begun) == 0
    assert longest_gap(client.since(begun)) < 2.0


def test_nothing_outlives_a_killed_monitor_and_the_next_one_begins_over_what_it_left(
    trio: Monitored, seen: Prober
) -> None:
    old = holder(trio, seen)
    begun = time.monotonic()
    trio.monitors.pop(old.name).kill()
    eventually(lambda: not set(running_programs(old)) & DAEMONS, within=10, every=0.05)
    moved_from(trio, seen, old, within=5)
    assert not old.vips()
    assert double(trio, seen, begun) <= ADVERT + LATE
    old.run("ip", "address", "add", f"{trio.api_vip}/32", "dev", "lo", "label", "lo:vip")
    trio.watch_over(old)
    eventually(lambda: settled(trio), within=30, every=0.1)
    assert str(trio.api_vip) not in old.run("ip", "address", "show", "dev", "lo")


def test_a_redirect_that_somebody_changed_is_put_right(trio: Monitored, seen: Prober) -> None:
    old = holder(trio, seen)
    rules = old.run("nft", "list", "table", "inet", "ingot_balancer")
    old.run("nft", "flush", "table", "inet", "ingot_balancer")
    eventually(
        lambda: old.run("nft", "list", "table", "inet", "ingot_balancer") == rules,
        within=15,
        every=0.1,
    )
    seen.wait_for(trio.api_vip, old.name, within=5)


def test_status_tells_people_and_programs_who_holds_the_vip(trio: Monitored, seen: Prober) -> None:
    who = holder(trio, seen)
    other = next(node for node in trio.site.of() if node is not who)

    def told() -> tuple[str, str, int, int]:
        said = json.loads(trio.typed(other, "vip", "status", "-o", "json"))["vips"]
        (api,) = (one for one in said if one["kind"] == "api")
        return api["holder"], api["state"], api["priority"], api["holderPriority"]

    # What befell the node before is told until its checks have passed again.
    eventually(lambda: told() == (who.name, "backup", 60, 60), within=15, every=0.1)
    wanted = (f"{trio.api_vip}  api      {who.name}", "balances over 3 ready API servers")
    eventually(
        lambda: all(one in trio.typed(who, "vip", "status") for one in wanted), within=15, every=0.1
    )


def test_metrics_tell_who_holds_the_vip(trio: Monitored, seen: Prober) -> None:
    who = holder(trio, seen)
    other = next(node for node in trio.site.of() if node is not who)
    for node in (who, other):
        wanted = {
            f'ingot_vip_holder{{kind="api",node="{who.name}",vip="{trio.api_vip}"}} 1.0',
            f'ingot_vip_held{{kind="api",vip="{trio.api_vip}"}} {float(node is who)}',
            "ingot_balancer_ready_servers 3.0",
        }
        # A backup hears who holds the VIP with the next advert, and tells it with its next look.
        eventually(lambda node=node, wanted=wanted: wanted <= metrics(node), within=15, every=0.1)  # type: ignore[misc]


def metrics(node: Node) -> set[str]:
    return set(node.run("curl", "-sS", "http://127.0.0.1:9455/metrics").splitlines())


def settled_on_another(trio: Monitored, old: Node) -> bool:
    """Tell whether one of the others holds the VIP, because of what was done to the old holder."""
    standings = [trio.standing(node, trio.api_vip) for node in trio.site.of() if node is not old]
    holds = [one["cause"] for one in standings if one["state"] == "master"]
    return len(holds) == 1 and holds[0].startswith(f"{old.name} gave it up")
