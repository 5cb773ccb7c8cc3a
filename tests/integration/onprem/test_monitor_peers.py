"""Monitors while nodes come, go and change, and while nobody can be asked about them."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest

from ingot.machine import namespaces
from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE, settled
from tests.integration.onprem.monitored import DOMAIN, Monitored, control_plane
from tests.integration.onprem.questions import A, question, read_answer
from tests.integration.onprem.starting import peers_in_file
from tests.onprem_site.node import Node
from tests.onprem_site.nodestore import ROLE_LABELS
from tests.onprem_site.observation import contested, longest, spans
from tests.onprem_site.plan import Address, Role
from tests.onprem_site.prober import watching

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    """Two control-plane nodes with monitors, and a worker that is only known. All stay so."""
    folder = tmp_path_factory.mktemp("pair")
    with control_plane(folder, coredns_program, nodes=2, workers=1) as found:
        yield found


@pytest.fixture
def first(pair: Monitored) -> Node:
    """The first node, at a moment at which all is well."""
    eventually(lambda: at_rest(pair), within=60, every=0.1)
    return pair.site["control-0"]


def at_rest(pair: Monitored) -> bool:
    nodes = pair.site.of("", Role.CONTROL)
    return settled(pair) and all(reason(pair, one) == "as listed by the API" for one in nodes)


def reason(pair: Monitored, node: Node) -> str:
    """Return why a node's monitor believes in its peers."""
    return str(pair.status(node).get("peers", {}).get("reason", ""))


def pid_of(pair: Monitored, node: Node, daemon: str) -> int | None:
    found: int | None = pair.status(node)["daemons"][daemon]["pid"]
    return found


def resolved(client: Node, server: Address, name: str) -> tuple[str, ...]:
    def asked() -> bytes:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.settimeout(1)
            out.sendto(question(name, A), (str(server), 53))
            return out.recv(1024)

    try:
        return read_answer(namespaces.inside(client.namespace, asked)).addresses
    except TimeoutError:
        return ()


def test_a_node_that_nobody_planned_joins_is_balanced_and_leaves_and_connections_live_on(
    pair: Monitored, first: Node
) -> None:
    seat = pair.cluster.seat(Role.CONTROL, 2)
    haproxy = pid_of(pair, first, "haproxy")
    vip = pair.api_vip
    ticking = pair.site.client.start("curl", "-sSN", f"http://{vip}:6443/ticks", name="ticking")
    with watching(pair.site, vip) as seen:
        pair.site.add(seat)
        newcomer = pair.site[seat.name]
        try:
            pair.serve(newcomer)
            pair.watch_over(newcomer)
            eventually(lambda: pair.status(newcomer).get("peers"), within=20, every=0.1)
            assert not pair.status(newcomer)["vips"]  # It is not a Node yet.
            pair.store.join(seat)
            eventually(
                lambda: pair.standing(newcomer, vip).get("state") == "backup", within=30, every=0.1
            )
            assert "is listed by the holder, which it hears" in pair.log(newcomer)
            assert str(seat.address) in peers_in_file(first)
            eventually(lambda: pair.status(first)["balancer"]["ready"] == 3, within=20, every=0.1)
            assert pid_of(pair, first, "haproxy") == haproxy

            pair.store.delete(seat.name)
            eventually(
                lambda: not pair.status(newcomer)["daemons"]["keepalived"]["runs"],
                within=20,
                every=0.1,
            )
            eventually(lambda: str(seat.address) not in peers_in_file(first), within=20, every=0.1)
            eventually(lambda: pair.status(first)["balancer"]["ready"] == 2, within=20, every=0.1)
            assert pid_of(pair, first, "haproxy") == haproxy
        finally:
            pair.monitors.pop(seat.name, None)
            pair.site.remove(seat.name)
        eventually(lambda: at_rest(pair), within=20, every=0.1)
        looks = list(seen.read())
    assert longest(contested(spans(looks, str(vip)))) <= ADVERT + LATE
    assert ticking.is_running
    ticking.kill()
    ticks = [json.loads(line)["tick"] for line in ticking.log.read_text().splitlines() if line]
    assert ticks == list(range(len(ticks)))


def test_peers_stay_as_they_were_while_no_api_server_answers(pair: Monitored, first: Node) -> None:
    before = (first.folder / "run/onprem/keepalived.conf").read_text()
    for name in ("control-0", "control-1"):
        pair.api[name].kill()
    eventually(lambda: reason(pair, first).endswith("as last known"), within=30)
    eventually(lambda: pair.standing(first, pair.api_vip)["state"] == "fault", within=20, every=0.1)
    assert "finds no API server ready" in pair.standing(first, pair.api_vip)["why"]
    assert (first.folder / "run/onprem/keepalived.conf").read_text() == before
    written = json.loads((first.folder / "state/peers.json").read_text())
    assert {one["name"] for one in written["nodes"]} == {"control-0", "control-1", "worker-0"}
    pair.serve(*(pair.site[name] for name in ("control-0", "control-1")))
    eventually(lambda: at_rest(pair), within=60, every=0.1)


def test_dns_knows_the_cluster_and_a_node_by_its_new_address(pair: Monitored, first: Node) -> None:
    client, server, domain = pair.site.client, first.seat.address, f"{pair.cluster.name}.{DOMAIN}"
    eventually(
        lambda: resolved(client, server, f"api-int.{domain}") == (str(pair.api_vip),), within=20
    )
    assert resolved(client, server, f"console.apps.{domain}") == (str(pair.ingress_vip),)
    worker = pair.site["worker-0"].seat
    name = f"{worker.name}.{domain}"
    assert resolved(client, server, name) == (str(worker.address),)
    dns = pid_of(pair, first, "coredns")
    pair.store.put(worker.name, [ip_address("10.88.0.99")], ROLE_LABELS[Role.WORKER])
    try:
        eventually(lambda: resolved(client, server, name) == ("10.88.0.99",), within=20, every=0.2)
        assert pid_of(pair, first, "coredns") == dns
    finally:
        pair.store.join(worker)


def test_resolv_conf_is_ours_again_after_somebody_else_wrote_it(
    pair: Monitored, first: Node
) -> None:
    path = first.folder / "resolv.owned"
    ours = eventually(lambda: path.read_text() if path.exists() else None, within=20, every=0.1)
    assert ours.splitlines()[1:] == [
        f"search {pair.cluster.name}.{DOMAIN} lan",
        f"nameserver {first.seat.address}",
        f"nameserver {pair.site.client.seat.address}",
    ]
    path.write_text("nameserver 192.0.2.1\n")
    eventually(lambda: path.read_text() == ours, within=10, every=0.1)
    given = first.folder / "given"
    said = given.read_text()
    given.write_text("nameserver 192.0.2.53\n")  # as by a DHCP renewal
    eventually(lambda: "192.0.2.53" in path.read_text(), within=20, every=0.1)
    eventually(
        lambda: "192.0.2.53" in (first.folder / "run/onprem/Corefile").read_text(), within=20
    )
    given.write_text("# nothing\n")
    eventually(lambda: pair.status(first)["problems"] == {}, within=5)
    given.write_text(said)
    eventually(lambda: path.read_text() == ours, within=20, every=0.1)
