"""A router that ends: requests are finished, and its successor is there before."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.ingress.routers import (
    SECONDS,
    Application,
    Router,
    application,
    ask,
    install,
    publish,
    router,
    some_ports,
)
from tests.integration.kubeapi import kube_api
from tests.unit.assets.clusters import cluster, install_files

LISTEN = "0A"
"""How Linux shows the state of a socket that listens."""


@dataclass
class Place:
    """Where routers can be started, and an application behind them."""

    kubeconfig: Path
    application: Application
    host: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("ingress")
    files = install_files(cluster(), now=datetime.now(UTC))
    with kube_api(folder / "api") as api, application() as behind:
        kubeconfig = install(api, files)
        yield Place(kubeconfig, behind, publish(api, "shop", behind))


@pytest.fixture(autouse=True)
def nobody_asked_yet(place: Place) -> None:
    place.application.asked_slowly.clear()
    place.application.may_end.clear()


def test_a_long_request_is_finished_by_the_old_router_while_the_new_one_takes_others(
    place: Place, tmp_path: Path
) -> None:
    ports = some_ports()
    with (
        ThreadPoolExecutor() as others,
        router(tmp_path / "old", place.kubeconfig, ports, accept=1) as old,
    ):
        old.until_ready()
        long = others.submit(ask, ports.http, place.host, "/slow")
        assert place.application.asked_slowly.wait(SECONDS)
        with router(tmp_path / "new", place.kubeconfig, ports) as new:
            eventually(lambda: listeners(ports.http) == 2, within=SECONDS, every=0.05)
            eventually(lambda: both_are_ready(new), within=SECONDS, every=0.05)
            old.process.terminate()
            eventually(lambda: listeners(ports.http) == 1, within=SECONDS, every=0.05)
            assert [ask(ports.http, place.host).status for _ in range(20)] == [200] * 20
            assert new.status("/healthz/ready") == 200
            assert old.process.poll() is None
            place.application.may_end.set()
            assert long.result(SECONDS).status == 200
            assert old.process.wait(SECONDS) == 0


def test_health_is_the_first_thing_that_ends_and_requests_are_still_taken(
    place: Place, tmp_path: Path
) -> None:
    ports = some_ports()
    with router(tmp_path / "only", place.kubeconfig, ports, accept=60) as only:
        only.until_ready()
        only.process.terminate()
        eventually(lambda: only.status("/healthz") is None, within=SECONDS, every=0.05)
        assert ask(ports.http, place.host).status == 200


def test_a_port_that_somebody_else_has_ends_a_router_with_the_reason(
    place: Place, tmp_path: Path
) -> None:
    ports = some_ports()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", ports.http))
        taken.listen()
        with router(tmp_path / "late", place.kubeconfig, ports) as late:
            assert late.process.wait(SECONDS) != 0
            assert "address already in use" in late.log.read_text(encoding="utf-8")


def listeners(port: int) -> int:
    """Return how many listen at a port of every address."""
    rows = [line.split() for line in Path("/proc/net/tcp6").read_text("utf-8").splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == LISTEN for row in rows)


def both_are_ready(one: Router) -> bool:
    """Return whether two routers are ready; which one answers is the kernel's choice."""
    return all(one.status("/healthz/ready") == 200 for _ in range(20))
