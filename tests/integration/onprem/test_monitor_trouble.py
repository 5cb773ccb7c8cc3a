"""Monitors that are told what cannot be, or that miss what they need: a clear word, no harm."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.onprem.monitor.program import ADDRESS_SECONDS
from tests.e2e.site import eventually
from tests.integration.onprem.monitored import PROGRAM, Monitored, monitored, running_programs
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Plan
from tests.onprem_site.prober import watching

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, coredns_program: Path) -> Iterator[Monitored]:
    plan = Plan(bootstrap=False, control=1, workers=0)
    with monitored(tmp_path_factory.mktemp("lone"), plan, coredns_program) as found:
        found.serve(found.site["control-0"])
        yield found


@pytest.fixture
def lone(site: Monitored) -> Iterator[Monitored]:
    """One node, whose monitor is stopped after the test."""
    site.options = {"metricsPort": None}
    yield site
    for name in list(site.monitors):
        site.stop(site.site[name])


def started(lone: Monitored) -> Node:
    node = lone.site["control-0"]
    lone.watch_over(node)
    return node


def test_a_node_alone_holds_the_vip(lone: Monitored) -> None:
    node = started(lone)
    eventually(lambda: str(lone.api_vip) in node.vips(), within=60, every=0.1)


def test_nothing_that_is_not_wanted_is_there(lone: Monitored) -> None:
    lone.options = {"cluster": {"userManagedLoadBalancer": True, "externalDNS": True}}
    node = started(lone)
    eventually(
        lambda: lone.status(node).get("daemons", {}).get("coredns", {}).get("runs"), within=60
    )
    assert not {"keepalived", "haproxy"} & set(running_programs(node))
    assert not lone.status(node)["vips"]
    assert "ingot_balancer" not in node.run("nft", "list", "ruleset")
    names = (node.folder / "run/onprem/hosts").read_text()
    assert "control-0" in names
    assert "api" not in names


def test_a_vip_outside_every_network_is_said_and_nothing_is_started(lone: Monitored) -> None:
    lone.options = {"cluster": {"apiVIPs": ["192.0.2.5"]}}
    node = started(lone)
    problem = eventually(
        lambda: lone.status(node).get("problems", {}).get("configuration"), within=60
    )
    assert "VIP 192.0.2.5 lies on none of this node's networks: 10.88.0.0/24" in problem
    assert not {"keepalived", "haproxy", "coredns"} & set(running_programs(node))


def test_a_folder_that_cannot_be_made_is_the_end_with_a_remedy(lone: Monitored) -> None:
    node = lone.site["control-0"]
    (node.folder / "taken").write_text("")
    lone.options = {"folders": {"run": str(node.folder / "taken"), "state": str(node.folder)}}
    lone.watch_over(node)
    assert lone.monitors.pop(node.name).wait() == 4
    assert re.search(r"taken cannot be written: File exists\nremedy: see", lone.log(node))


def test_a_taken_port_is_said_and_the_balancer_starts_when_it_is_free(lone: Monitored) -> None:
    node = lone.site["control-0"]
    squatter = node.start(sys.executable, "-m", "http.server", "9445", name="squatter")
    try:
        started(lone)
        eventually(lambda: "port 9445 is taken" in lone.log(node), within=60)
        assert not node.vips()
    finally:
        squatter.kill()
    eventually(lambda: str(lone.api_vip) in node.vips(), within=60, every=0.1)


def test_a_second_monitor_does_not_begin(lone: Monitored) -> None:
    node = started(lone)
    eventually(lambda: bool(lone.status(node)), within=60)
    first = lone.monitors[node.name]
    lone.watch_over(node)
    assert lone.monitors[node.name].wait() == 4
    assert "another monitor runs on this node" in lone.log(node)
    lone.monitors[node.name] = first
    assert first.is_running


def test_without_a_default_route_a_vip_elsewhere_is_said_and_nothing_is_started(
    lone: Monitored,
) -> None:
    lone.options = {"cluster": {"apiVIPs": ["192.0.2.5"], "ingressVIPs": ["192.0.2.4"]}}
    node = lone.site["control-0"]
    shutil.rmtree(node.folder / "state", ignore_errors=True)  # or it keeps what it chose before
    (route,) = node.run("ip", "route", "show", "default").splitlines()
    node.run("ip", "route", "delete", "default")
    try:
        started(lone)
        problem = eventually(
            lambda: lone.status(node).get("problems", {}).get("configuration"), within=60
        )
        assert "no default route" in problem
        assert not {"keepalived", "haproxy", "coredns"} & set(running_programs(node))
    finally:
        node.run("ip", "route", "add", *route.split())
    eventually(
        lambda: "192.0.2.5 lies on none" in lone.status(node)["problems"]["configuration"],
        within=20,
    )


def test_a_default_route_that_is_lost_changes_nothing(lone: Monitored) -> None:
    node = started(lone)
    eventually(lambda: str(lone.api_vip) in node.vips(), within=60, every=0.1)
    (route,) = node.run("ip", "route", "show", "default").splitlines()
    with watching(lone.site, lone.api_vip) as seen:
        node.run("ip", "route", "delete", "default")
        try:
            seen.wait_for(lone.api_vip, node.name, within=60, lasting=2 * ADDRESS_SECONDS)
        finally:
            node.run("ip", "route", "add", *route.split())
        assert {span.holders for span in seen.spans(lone.api_vip)} == {frozenset({node.name})}
    assert "configuration" not in lone.status(node)["problems"]


def test_a_folder_that_becomes_unwritable_is_said_and_the_vip_stays_until_it_is_mended(
    lone: Monitored,
) -> None:
    node = started(lone)
    run = node.folder / "run/onprem"
    eventually(lambda: str(lone.api_vip) in node.vips(), within=60, every=0.1)
    duty = (run / "api.duty").read_text()
    node.run("mount", "--bind", run, run)
    try:
        node.run("mount", "-o", "remount,bind,ro", run)
        lone.api[node.name].kill()
        problem = eventually(
            lambda: lone.status(node)["problems"].get("api duty"), within=30, every=0.1
        )
        assert "api.duty cannot be written: Read-only file system" in problem
        assert (run / "api.duty").read_text() == duty
        assert str(lone.api_vip) in node.vips()
    finally:
        node.run("umount", run)
    eventually(lambda: "api duty" not in lone.status(node)["problems"], within=10, every=0.1)
    eventually(lambda: not node.vips(), within=10, every=0.1)
    lone.serve(node)
    eventually(lambda: str(lone.api_vip) in node.vips(), within=60, every=0.1)


def test_a_keepalived_that_may_not_run_in_real_time_is_said_and_holds_the_vip_all_the_same(
    lone: Monitored,
) -> None:
    node = lone.site["control-0"]
    env = {"INGOT_ONPREM": str(lone.file(node))}
    without = ("setpriv", "--bounding-set", "-sys_nice")
    lone.monitors[node.name] = node.start(*without, PROGRAM, "onprem", name="monitor", env=env)
    eventually(lambda: str(lone.api_vip) in node.vips(), within=60, every=0.1)
    problem = eventually(lambda: lone.status(node)["problems"].get("real time"), within=10)
    assert "keepalived does not run in real time" in problem
