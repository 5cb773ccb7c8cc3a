"""Waiting until a cluster is whole, with its real API."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import pytest

from ingot.config.loading import load
from ingot.config.model import InstallConfig
from ingot.config.sample import sample
from ingot.errors import ExitCode
from ingot.installer import settling
from ingot.installer.hosttrouble import HostFailed
from ingot.installer.phase import LIMITS, Phase
from ingot.installer.progress import Progress
from ingot.installer.settling import NotStable, Settling, WorkersMissing
from tests.integration.installer.test_apiview import HOSTS, add_host
from tests.integration.installer.young import SET, Young, cluster_api, young_cluster
from tests.integration.kubeapi import KubeApi

REFUSED = "the BMC refuses the credentials: HTTP GET https://192.0.2.9/redfish returned code 401"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with cluster_api(tmp_path_factory.mktemp("api")) as started:
        yield started


@pytest.fixture
def young(api: KubeApi, monkeypatch: pytest.MonkeyPatch) -> Iterator[Young]:
    monkeypatch.setattr(settling, "LOOK_SECONDS", 0.05)
    with young_cluster(api) as cluster:
        yield cluster


def asked(*, workers: int = 2) -> InstallConfig:
    config = load(sample("managed").encode()).config
    assert config is not None
    pools = tuple(pool.model_copy(update={"replicas": workers}) for pool in config.compute)
    return config.model_copy(update={"compute": pools})


@dataclass
class Watcher:
    """Somebody who waits, and does something when it is said what is waited for."""

    young: Young
    reactions: dict[str, Callable[[], None]] = field(default_factory=dict)
    heard: list[Progress] = field(default_factory=list)

    def hear(self, progress: Progress) -> None:
        self.heard.append(progress)
        for said in [said for said in self.reactions if said in progress.message]:
            self.reactions.pop(said)()

    def wait(self, *, workers: int = 2, limits: Mapping[Phase, float] = LIMITS) -> Settling:
        waiting = Settling.of(
            self.young.api.kubeconfig(),
            asked(workers=workers),
            limits={**LIMITS, **limits},
            listener=self.hear,
            progress=Progress(),
        )
        asyncio.run(waiting.until_settled())
        return waiting

    @property
    def messages(self) -> list[str]:
        return list(dict.fromkeys(one.message for one in self.heard if one.message))


def test_it_is_waited_until_workers_are_ready_and_add_ons_available(young: Young) -> None:
    young.has_bootstrap("complete")  # Its last word must not end what comes after it.
    young.has_ready(0)
    watcher = Watcher(
        young,
        {
            "0 of 2 machines": young.comes_up,
            "router-default: 1 of 2": lambda: young.routes(2),
            "metal3: metal3 is starting": lambda: young.serves(is_available=True),
        },
    )
    done = watcher.wait()
    assert [one.phase for one in done.progress.phases] == [Phase.WORKERS, Phase.ADD_ONS]
    assert watcher.messages[0] == f"{SET}: 0 of 2 machines ready"
    assert "router-default: 1 of 2 available; metal3: metal3 is starting" in watcher.messages
    workers = {host.name: host for host in done.seen.hosts if host.role == "worker"}
    assert [host.step for host in workers.values()] == ["is a node", "is a node"]
    assert {time.host for time in done.seen.times} >= {"worker-0", "cp-0"}
    free = {host.step for one in watcher.heard for host in one.hosts if host.state == "available"}
    assert free >= {"is free"}


def test_an_api_that_is_away_for_a_while_is_waited_for(young: Young) -> None:
    young.has_ready(0)

    def away() -> None:
        young.api.kill_api()
        back.start()

    def returns() -> None:
        young.api.start_api()
        young.comes_up()
        young.settles()

    back = threading.Thread(target=returns)
    Watcher(young, {"0 of 2 machines": away}).wait()
    back.join()


def test_where_no_workers_are_asked_for_none_are_waited_for(young: Young) -> None:
    young.settles()
    done = Watcher(young).wait(workers=0)
    assert [one.phase for one in done.progress.phases] == [Phase.ADD_ONS]


def test_workers_that_are_late_are_named_with_how_they_stand(young: Young) -> None:
    young.has_ready(1)
    young.claims("worker-0")
    with pytest.raises(WorkersMissing) as late:
        Watcher(young).wait(limits={Phase.WORKERS: 0.0})
    assert late.value.exit_code is ExitCode.INSTALL
    waits = "is claimed by a Machine, and waits for its image"
    assert late.value.what == (
        "workers took longer than 0 minutes: "
        f"{SET}: 1 of 2 machines ready; worker-0 available ({waits})"
    )
    assert "--timeout workers=2h" in late.value.remedy


def test_add_ons_that_are_late_are_named_with_where_to_look(young: Young) -> None:
    young.comes_up()
    with pytest.raises(NotStable) as late:
        Watcher(young).wait(limits={Phase.ADD_ONS: 0.0})
    assert late.value.exit_code is ExitCode.NOT_STABLE
    assert late.value.what.endswith("router-default: 1 of 2 available; metal3: metal3 is starting")
    assert "-n ingot-infra describe daemonset router-default" in late.value.remedy


def test_an_api_that_never_answers_is_told_as_such(young: Young) -> None:
    young.api.kill_api()
    with pytest.raises(WorkersMissing, match="the API does not answer"):
        Watcher(young).wait(limits={Phase.WORKERS: 0.0})


def test_a_bmc_that_refuses_its_password_ends_it_where_its_server_is_needed(young: Young) -> None:
    young.has_ready(0)
    young.api.request("DELETE", f"{HOSTS}/worker-1")
    add_host(young.api, "worker-1", "registering", error=REFUSED)
    with pytest.raises(HostFailed, match=r"host worker-1 .*refuses the credentials") as ended:
        Watcher(young).wait()
    assert ended.value.exit_code is ExitCode.INFRASTRUCTURE
