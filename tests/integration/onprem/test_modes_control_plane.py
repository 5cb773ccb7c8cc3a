"""What has gone wrong in the field on the control plane, mode by mode, and does not here.

The modes are those of docs/reference/onprem-failures.md.
"""

from __future__ import annotations

import os
import time

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE, double, holder, moved_from, settled
from tests.integration.onprem.monitored import Monitored, running_programs
from tests.integration.onprem.starting import holders_since
from tests.onprem_site.availability import Client, asking, failures, longest_gap, servers
from tests.onprem_site.node import Node
from tests.onprem_site.nodestore import NodeStore
from tests.onprem_site.observation import announcements
from tests.onprem_site.prober import Prober
from tests.onprem_site.service import Mode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

REPEATED = 6.0
"""By then keepalived has told of a move a second time; whatever it tells later is a refresh."""


def ready(trio: Monitored, node: Node) -> int | None:
    """Return how many API servers a node's balancer finds ready."""
    found: int | None = trio.status(node).get("balancer", {}).get("ready")
    return found


def all_find_ready(trio: Monitored, count: int) -> bool:
    return all(ready(trio, node) == count for node in trio.site.of())


def reasons(trio: Monitored) -> set[str]:
    """Return why monitors believe in their peers."""
    return {trio.status(node).get("peers", {}).get("reason", "") for node in trio.site.of()}


def files(trio: Monitored) -> list[str]:
    return [(node.folder / "run/onprem/keepalived.conf").read_text() for node in trio.site.of()]


def test_mode_04_split_brain_after_api_outage(trio: Monitored, seen: Prober) -> None:
    eventually(lambda: reasons(trio) == {"as listed by the API"}, within=30, every=0.1)
    before, begun = files(trio), time.monotonic()
    for server in trio.api.values():
        server.kill()
    eventually(lambda: all(why.endswith("as last known") for why in reasons(trio)), within=60)
    seen.wait_for(trio.api_vip, within=10)  # Nobody could serve it.
    assert files(trio) == before
    NodeStore.made(trio.store.path)  # The API is back, and knows of nobody.
    try:
        trio.serve(*trio.site.of())
        nobody = "the list has no control plane in it: as last known"
        eventually(lambda: reasons(trio) == {nobody}, within=60, every=0.1)
        eventually(lambda: settled(trio), within=30, every=0.1)
        assert files(trio) == before
    finally:
        trio.store.join(*trio.planned())
    eventually(lambda: reasons(trio) == {"as listed by the API"}, within=30, every=0.1)
    assert files(trio) == before
    assert double(trio, seen, begun) <= ADVERT + LATE


def test_mode_05_vip_stays_on_a_node_with_no_api_path(trio: Monitored, seen: Prober) -> None:
    old = holder(trio, seen)
    trio.api[old.name].become(Mode.HANG)  # The node cannot ask who its peers are.
    try:
        eventually(lambda: ready(trio, old) == 2, within=30, every=0.05)
        seen.wait_for(trio.api_vip, old.name, within=5)
        begun = time.monotonic()
        trio.faults.kill(old.name, "haproxy")
        moved_from(trio, seen, old, within=5)
        assert time.monotonic() - begun < 2.0
        assert double(trio, seen, begun) <= ADVERT + LATE
    finally:
        trio.api[old.name].become(Mode.READY)


def test_mode_11_vip_flaps_during_recovery(trio: Monitored, seen: Prober) -> None:
    who = holder(trio, seen)
    other = next(node for node in trio.site.of() if node is not who)
    begun = time.monotonic()
    for node in (who, other):
        trio.api[node.name].kill()
    eventually(lambda: all_find_ready(trio, 1), within=30, every=0.05)
    trio.serve(who, other)
    eventually(lambda: all_find_ready(trio, 3), within=30, every=0.05)
    assert holders_since(trio, seen, begun) == [{who.name}]


def test_mode_12_vip_moves_when_another_master_goes_down(trio: Monitored, seen: Prober) -> None:
    who = holder(trio, seen)
    other = next(node for node in trio.site.of() if node is not who)
    with asking(trio.site.client, trio.api_vip, 6443, rate=20) as client:
        client.wait_for(other.name, within=10)
        begun = time.monotonic()
        trio.faults.power_off(other.name)
        eventually(lambda: ready(trio, who) == 2, within=30, every=0.05)
        trio.faults.power_on(other.name)
        trio.serve(other)
        trio.watch_over(other)
        eventually(lambda: settled(trio), within=60, every=0.1)
    assert holders_since(trio, seen, begun) == [{who.name}]
    assert longest_gap(client.since(begun)) < 1.0


def test_mode_13_api_errors_during_rollouts(trio: Monitored, seen: Prober) -> None:
    """A connection ends with its server's readiness, if it is under way in that moment."""
    eventually(lambda: all_find_ready(trio, 3), within=30, every=0.05)
    who, begun = holder(trio, seen), time.monotonic()
    with asking(trio.site.client, trio.api_vip, 6443, rate=20) as client:
        for node in trio.site.of():
            trio.api[node.name].become(Mode.UNREADY)  # It is about to end, and serves until then.
            eventually(lambda: all_find_ready(trio, 2), within=30, every=0.05)
            trio.api[node.name].kill()
            trio.serve(node)
            eventually(lambda: all_find_ready(trio, 3), within=30, every=0.05)
    assert failures(client.asked).total() <= len(trio.api)
    assert len(servers(client.asked)) == 3
    assert holders_since(trio, seen, begun) == [{who.name}]


def test_mode_14_vip_unreachable_after_failover(trio: Monitored, seen: Prober) -> None:
    who, client, vip = holder(trio, seen), trio.site.client, str(trio.api_vip)
    seen.wait_for(vip, who.name, within=15, lasting=REPEATED)
    other = next(node for node in trio.site.of() if node is not who)
    wrong = ("lladdr", other.seat.mac, "nud", "reachable")  # It has missed that the VIP moved.
    client.run("ip", "neighbour", "replace", vip, "dev", "eth0", *wrong)
    missed = time.monotonic()

    def has_learnt() -> bool:
        return who.seat.mac in client.run("ip", "neighbour", "show", vip, "dev", "eth0")

    assert not has_learnt()
    eventually(has_learnt, within=15, every=0.1)

    def told() -> set[str]:
        return {node for at, node in announcements(seen.read(), vip) if at >= missed}

    # The observer writes down what it has heard with its next look.
    assert eventually(lambda: told() or None, within=5, every=0.05) == {who.name}


def answered(client: Client, since: float) -> float:
    """Return when a client first had an answer to what it asked since a moment."""
    return eventually(
        lambda: next((one.over for one in client.since(since) if one.server), None),
        within=20,
        every=0.05,
    )


def test_mode_14_clients_find_the_one_who_wins_where_two_have_announced_the_vip(
    trio: Monitored, seen: Prober
) -> None:
    """Of two holders, the one with the higher address wins, and the other was announced last."""
    strong = trio.site.of()[-1]
    others = {node.name for node in trio.site.of()} - {strong.name}
    with asking(trio.site.client, trio.api_vip, 6443, rate=50) as client:
        for _ in range(3):
            while (weak := holder(trio, seen)) is not strong:
                trio.faults.kill(weak.name, "haproxy")
                moved_from(trio, seen, weak, within=5)
                eventually(lambda: settled(trio), within=30, every=0.1)
            trio.faults.partition({strong.name}, others)
            eventually(lambda: len(seen.holders(trio.api_vip)) == 2, within=5, every=0.01)
            trio.faults.heal()
            healed = seen.wait_for(trio.api_vip, strong.name, within=5)
            assert answered(client, healed) - healed < 1.0


def test_mode_18_dns_crash_loop_where_no_server_was_given(trio: Monitored, seen: Prober) -> None:
    who = holder(trio, seen)
    node = next(one for one in trio.site.of() if one is not who)
    given = node.folder / "given-late"
    assert trio.stop(node) == 0
    owned = node.folder / "resolv.owned"
    trio.options["resolver"] = {"path": str(owned), "given": [str(given)]}
    trio.watch_over(node)
    trio.options.clear()
    eventually(lambda: settled(trio), within=30, every=0.1)  # VIPs do not wait for DNS.
    assert "names no DNS server" in (problem(trio, node) or "")
    assert "coredns" not in set(running_programs(node))
    given.write_text(f"nameserver {trio.site.client.seat.address}\n")
    eventually(lambda: dns(trio, node).get("runs"), within=20, every=0.1)
    eventually(lambda: problem(trio, node) == "", within=20, every=0.1)
    assert dns(trio, node)["ends"] == 0


def dns(trio: Monitored, node: Node) -> dict[str, object]:
    return dict(trio.status(node).get("daemons", {}).get("coredns", {}))


def problem(trio: Monitored, node: Node) -> str | None:
    """Return what is wrong with a node's DNS, "" for nothing; None where nothing is known."""
    known = trio.status(node).get("problems")
    return None if known is None else str(known.get("coredns", ""))
