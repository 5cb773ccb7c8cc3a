"""What the installer sees in a real API, as the bootstrap, the operator and servers write it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingot.configserver.keeping import Keeper
from ingot.configserver.report import Report
from ingot.installer.apiview import ApiView, Seen
from ingot.installer.console import Said
from ingot.installer.vipholder import look_for_holder
from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.crd.manifest import crd
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.node.bootstrap.looking import look_at_hosts
from ingot.node.bootstrap.stage import Journal, Stage
from ingot.node.bootstrap.telling import Teller
from ingot.onprem.monitor.metrics import served
from tests.integration.kubeapi import KubeApi, kube_api
from tests.ports import free_port

HOSTS = "/apis/metal3.io/v1alpha1/namespaces/metal3/baremetalhosts"
ROLES = {"cp-0": "control-plane", "cp-1": "control-plane", "w-0": "worker"}
NOW = datetime(2026, 1, 1, tzinfo=UTC).isoformat().replace("+00:00", "Z")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("api")) as started:
        furnish(started)
        yield started


LOST = {"type": "BootLost", "reason": "NoAgent"}


def furnish(api: KubeApi) -> None:
    """Give an API what the bootstrap's manifests bring."""
    for name in ("metal3", "ingot-infra"):
        api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    hosts = next(one for one in DEFINITIONS if one.kind == "BareMetalHost")
    api.install(crd(hosts))


def add_host(
    api: KubeApi, name: str, state: str, doing: str = "", error: str = "", lost: str = ""
) -> None:
    host = {"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost", "metadata": {"name": name}}
    made = api.request("POST", HOSTS, {**host, "spec": {"online": True}})
    progressing = {
        "type": "Progressing",
        "status": "True",
        "reason": "Provisioning",
        "message": doing,
        "lastTransitionTime": NOW,
    }
    status: dict[str, Any] = {
        "provisioning": {"state": state, "ID": ""},
        "operationalStatus": "OK",
        "errorMessage": error,
        "errorCount": 1 if error else 0,
        "poweredOn": True,
        "conditions": [progressing, *([{**progressing, **LOST, "message": lost}] if lost else [])],
        "operationHistory": {"inspect": {"start": NOW, "end": NOW}},
    }
    api.request("PUT", f"{HOSTS}/{name}/status", {**made, "status": status})


def look(api: KubeApi) -> Seen:
    seen = asyncio.run(ApiView(api.kubeconfig(), ROLES).look())
    assert seen is not None
    return seen


async def tell(api: KubeApi, journal: Path, *, lasting: bool) -> None:
    async with KubeClient(from_kubeconfig(api.kubeconfig())) as client:
        teller = Teller(Journal.read(journal), lambda _: None, client)
        await teller.begins(Stage.HOSTS, "provisioning")
        rows = await look_at_hosts(client, "metal3", ["cp-0", "cp-1"])
        await teller.shows([{**row, "share": 0.25} for row in rows])
        await teller.fails("no image", lasting=lasting)


async def report(api: KubeApi, host: str, what: Report) -> None:
    async with KubeClient(from_kubeconfig(api.kubeconfig())) as client:
        await Keeper(client).keep(host, what)


def test_an_api_that_knows_nothing_yet_tells_nothing(tmp_path: Path) -> None:
    with kube_api(tmp_path / "api") as empty:
        assert look(empty) == Seen(said=None)
        empty.kill_api()
        assert asyncio.run(ApiView(empty.kubeconfig(), ROLES).look()) is None
        empty.start_api()


def test_all_that_is_known_of_an_install_is_seen_in_one_look(api: KubeApi, tmp_path: Path) -> None:
    add_host(api, "cp-0", "provisioning", doing="wait call-back")
    add_host(api, "cp-1", "provisioned")
    add_host(api, "w-0", "inspecting", error="no DHCP request", lost="no agent [cycles=1]")
    asyncio.run(tell(api, tmp_path / "journal.json", lasting=True))
    asyncio.run(report(api, "cp-1", Report("preflight", "running checks", failed=False)))
    seen = look(api)
    assert seen.said == Said("hosts", "no image", is_error=True, lasting=True)
    one, other, worker = seen.hosts
    assert (one.state, one.step, one.share) == ("provisioning", "writing the image", 0.25)
    # What the bootstrap wrote down of a share is over once the image is written.
    assert (other.state, other.step, other.share) == ("provisioned", "joins: running checks", None)
    assert (worker.role, worker.error, worker.attempts) == ("worker", "no DHCP request", 1)
    assert (worker.lost, one.lost) == ("no agent", "")
    assert {(time.host, time.operation) for time in seen.times} == {
        (name, "inspect") for name in ROLES
    }
    node = {"metadata": {"name": "cp-1"}}
    api.request("POST", "/api/v1/nodes", node)
    assert look(api).hosts[1].step == "is a node, and not Ready yet"


def standing(*, holds: bool, hears: str) -> dict[str, Any]:
    vip = {
        "vip": "192.0.2.5",
        "kind": "api",
        "state": "master" if holds else "backup",
        "holder": hears,
        "priority": 60,
        "transitions": 1,
    }
    return {
        "vips": [vip],
        "listed": {},
        "daemons": {},
        "balancer": {"ready": 3, "redirected": True},
        "freezes": 0,
        "peers": {"nodes": {}},
        "problems": {},
    }


@pytest.mark.parametrize(("holds", "holder"), [(True, "cp-0"), (False, "cp-2")])
def test_monitors_are_asked_who_holds_the_vip(holder: str, *, holds: bool) -> None:
    async def asked() -> str:
        port = free_port()
        async with served(lambda: standing(holds=holds, hears="cp-2"), port):
            return await look_for_holder({"cp-0": "127.0.0.1"}, port=port)

    assert asyncio.run(asked()) == holder


def test_who_holds_the_vip_is_not_known_where_nobody_answers() -> None:
    asked = look_for_holder({"cp-0": "127.0.0.1"}, port=free_port())
    assert asyncio.run(asked) == ""
