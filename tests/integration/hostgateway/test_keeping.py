"""Routes, rules and the CNI configuration while Nodes come, move and go, and somebody meddles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from ingot.process import run
from tests.e2e.site import eventually
from tests.integration.hostgateway.clusters import WITHIN, Cluster
from tests.integration.hostgateway.pods import Pod
from tests.integration.hostgateway.talking import Talk

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

PARTS = ("conflist", "forwarding", "masquerade", "routes")
D_NETWORKS = ["10.128.40.0/24", "fd01:0:0:40::/64"]


def stands(cluster: Cluster, name: str, routes: dict[int, dict[str, str]]) -> None:
    """Wait until a node has exactly the routes to its peers and some more."""
    for version in cluster.versions:
        expected = {
            cluster.network(other, version): cluster.address(other, version)
            for other in cluster.names
            if other != name
        } | routes.get(version, {})
        eventually(
            lambda version=version, expected=expected: (  # type: ignore[misc]
                cluster.routes(name, version) == expected
            ),
            within=WITHIN,
            every=0.1,
        )


def changed(cluster: Cluster, name: str, part: str) -> float:
    """Return how often a node's gateway has put something right."""
    return cluster.metric(name, f'ingot_hostgateway_changes_total{{part="{part}"}}') or 0.0


@pytest.fixture
def d(cluster: Cluster) -> Iterator[str]:
    """A fourth Node, which is nothing but an object of the API."""
    cluster.join("d", ["10.77.0.40", "fd77::40"], D_NETWORKS)
    try:
        yield "d"
    finally:
        if "d" in {one["metadata"]["name"] for one in _nodes(cluster)}:
            cluster.leave("d")
        for name in cluster.names:
            stands(cluster, name, {})


def _nodes(cluster: Cluster) -> list[dict[str, Any]]:
    found: dict[str, Any] = cluster.api.request("GET", "/api/v1/nodes")
    return list(found["items"])


def test_a_node_that_joins_is_routed_to_and_one_that_is_gone_is_not(
    cluster: Cluster, d: str
) -> None:
    for name in cluster.names:
        stands(cluster, name, {4: {D_NETWORKS[0]: "10.77.0.40"}, 6: {D_NETWORKS[1]: "fd77::40"}})
    cluster.leave(d)
    for name in cluster.names:
        stands(cluster, name, {})


def test_a_node_whose_address_changes_is_followed(cluster: Cluster, d: str) -> None:
    stands(cluster, "a", {4: {D_NETWORKS[0]: "10.77.0.40"}, 6: {D_NETWORKS[1]: "fd77::40"}})
    cluster.move(d, ["10.77.0.41", "fd77::41"])
    stands(cluster, "a", {4: {D_NETWORKS[0]: "10.77.0.41"}, 6: {D_NETWORKS[1]: "fd77::41"}})


@pytest.mark.parametrize("version", [4, 6])
def test_a_route_that_somebody_removes_comes_back(cluster: Cluster, version: int) -> None:
    before = changed(cluster, "a", "routes")
    network = cluster.network("b", version)
    run(["ip", "-n", cluster.spaces["a"], f"-{version}", "route", "delete", network])
    stands(cluster, "a", {})
    eventually(lambda: changed(cluster, "a", "routes") == before + 1, within=WITHIN, every=0.1)


def test_rules_that_somebody_changes_are_put_right(cluster: Cluster) -> None:
    space, table = cluster.spaces["a"], ["inet", "ingot_hostgateway"]
    listed = ["ip", "netns", "exec", space, "nft", "list", "table", *table]
    before = run(listed)
    times = changed(cluster, "a", "masquerade")
    for done, words in enumerate(
        (["flush", "chain", *table, "postrouting"], ["delete", "table", *table])
    ):
        run(["ip", "netns", "exec", space, "nft", *words])
        eventually(
            lambda done=done: changed(cluster, "a", "masquerade") == times + done + 1,  # type: ignore[misc]
            within=WITHIN,
            every=0.1,
        )
        assert run(listed) == before


def test_routes_of_others_are_left_alone(cluster: Cluster, d: str) -> None:
    space = cluster.spaces["a"]
    theirs = [["10.200.0.0/16", "via", "10.77.0.1"], [D_NETWORKS[0], "via", "10.77.0.99"]]
    for words in theirs:
        run(["ip", "-n", space, "route", "add", *words])
    stands(cluster, "a", {4: {D_NETWORKS[0]: "10.77.0.40"}, 6: {D_NETWORKS[1]: "fd77::40"}})
    cluster.leave(d)
    stands(cluster, "a", {})
    left = cluster.routes("a", 4, ours=False)
    assert (left["10.200.0.0/16"], left[D_NETWORKS[0]]) == ("10.77.0.1", "10.77.0.99")
    for words in theirs:
        run(["ip", "-n", space, "route", "delete", *words])


def test_a_node_behind_a_router_is_told_of_and_not_routed_to(cluster: Cluster, d: str) -> None:
    cluster.move(d, ["172.20.0.9"])
    said = (
        "pods of Node d are not reached from here: "
        "10.128.40.0/24: its address 172.20.0.9 is on no network of this node"
    )

    def events() -> list[dict[str, Any]]:
        found: dict[str, Any] = cluster.api.request("GET", "/api/v1/namespaces/default/events")
        return [
            one
            for one in found["items"]
            if one.get("message") == said and one["involvedObject"]["name"] == "a"
        ]

    found = eventually(lambda: events() or None, within=WITHIN)
    assert (found[0]["reason"], found[0]["type"]) == ("PodsUnreachable", "Warning")
    stands(cluster, "a", {})
    assert cluster.metric("a", 'ingot_hostgateway_unrouted{node="d"}') == 1.0
    assert said in cluster.log_path("a").read_text()
    assert cluster.is_ready("a")


def test_when_all_is_well_nothing_is_written(cluster: Cluster) -> None:
    stands(cluster, "b", {})
    cluster.check_again("b")
    before = [changed(cluster, "b", part) for part in PARTS]
    written = cluster.conflist("b").stat()
    cluster.check_again("b")
    assert [changed(cluster, "b", part) for part in PARTS] == before
    assert cluster.conflist("b").stat().st_ino == written.st_ino


@pytest.mark.parametrize("version", [4, 6])
def test_killed_and_started_again_it_interrupts_nothing(
    cluster: Cluster, pods: dict[str, Pod], version: int
) -> None:
    talk = eventually(lambda: _talk(pods, version), within=WITHIN)
    written = cluster.conflist("a").stat()
    try:
        assert talk.says("before") == "before"
        for name in ("a", "b"):
            cluster.kill(name)
        assert talk.says("while it is away") == "while it is away"
        for name in ("a", "b"):
            cluster.start(name)
        for name in ("a", "b"):
            eventually(lambda name=name: cluster.is_ready(name), within=90, every=0.1)  # type: ignore[misc]
        assert talk.says("after") == "after"
    finally:
        talk.close()
        for name in {"a", "b"} - cluster.gateways.keys():
            cluster.start(name)
    assert [changed(cluster, "a", part) for part in PARTS] == [0.0] * len(PARTS)
    assert cluster.conflist("a").stat().st_ino == written.st_ino


def _talk(pods: dict[str, Pod], version: int) -> Talk | None:
    try:
        return Talk(pods["a"].space, pods["b"].at(version))
    except OSError:
        return None


def test_without_the_api_what_is_known_is_kept(cluster: Cluster) -> None:
    cluster.api.kill_api()
    try:
        network = cluster.network("b", 4)
        run(["ip", "-n", cluster.spaces["a"], "route", "delete", network])
        stands(cluster, "a", {})
        assert cluster.is_ready("a")
        cluster.kill("c")
        cluster.start("c")
        eventually(lambda: cluster.page("c", "/healthz")[0] == 200, within=90, every=0.1)
        assert cluster.page("c", "/readyz")[0] == 500
        stands(cluster, "c", {})
        assert cluster.conflist("c").exists()
    finally:
        cluster.api.ensure_api()
    eventually(lambda: cluster.is_ready("c"), within=90, every=0.1)
    # Whoever has lost the server comes back to it only after a while.
    cluster.join("late", ["10.77.0.50"], ["10.128.50.0/24"])
    try:
        for name in cluster.names:
            stands(cluster, name, {4: {"10.128.50.0/24": "10.77.0.50"}})
    finally:
        cluster.leave("late")
    for name in cluster.names:
        stands(cluster, name, {})
