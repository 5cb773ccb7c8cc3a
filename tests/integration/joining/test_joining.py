"""A machine joins in spite of failures, and says so: a real config server, and a real API.

kubeadm is a script here that fails and succeeds as told: no machine is there to become a node.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_interface
from pathlib import Path

import pytest

from ingot.configserver.joinfile import JoinFacts, Source
from ingot.configserver.role import Role
from ingot.node.joining.clearing import Clearing
from ingot.node.joining.clock import Clock
from ingot.node.joining.places import Places
from ingot.node.joining.program import Joining
from ingot.onprem.model import OwnAddress
from ingot.onprem.nodeaddress import Choice
from tests.e2e.site import eventually
from tests.integration.configserver.office import Office, running, token_of
from tests.integration.kubeapi import KubeApi, kube_api

CHOICE = Choice((OwnAddress("eth0", ip_interface("192.0.2.21/24")),), True, "192.0.2.21 is so")  # noqa: FBT003
REFUSED = "error execution phase preflight: unable to fetch the kubeadm-config: Unauthorized"
FULL = "error execution phase kubelet-start: no space left on device"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("kubeapi")) as started:
        started.request("POST", "/api/v1/namespaces", {"metadata": {"name": "ingot-infra"}})
        yield started


@pytest.fixture
def office(api: KubeApi, tmp_path: Path) -> Iterator[Office]:
    with running(api, tmp_path) as started:
        yield started


@dataclass
class Bench:
    """A machine's root, and a kubeadm that follows a plan: one line for each time it is called."""

    folder: Path
    said: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    @property
    def places(self) -> Places:
        return Places(self.folder / "root")

    def tell(self, facts: JoinFacts) -> None:
        self.places.join_file.parent.mkdir(parents=True, exist_ok=True)
        self.places.join_file.write_text(facts.text())

    def kubeadm(self, *plan: str) -> Path:
        """Return a program that ends as planned, and keeps what it was told each time.

        Each time it leaves a bootstrap kubeconfig behind if it fails, as a half-done join does.
        """
        (self.folder / "plan").write_text("".join(f"{line}\n" for line in plan))
        left = self.places.kubernetes / "bootstrap-kubelet.conf"
        left.parent.mkdir(parents=True, exist_ok=True)
        script = self.folder / "kubeadm"
        script.write_text(
            "#!/bin/sh\n"
            f"cd {self.folder} || exit 9\n"
            f"[ -e {left} ] && {{ echo 'error: something is left'; exit 1; }}\n"
            'echo "$1 $2" >> words\n'
            'for last; do :; done; cat "$last" >> told\n'
            "line=$(head -n 1 plan); sed -i 1d plan\n"
            'echo "[preflight] Running pre-flight checks"\n'
            f'[ "$line" = ok ] || {{ touch {left}; echo "$line"; exit 1; }}\n'
        )
        script.chmod(0o755)
        return script

    def told(self) -> list[JoinConfig]:
        decoder, found = json.JSONDecoder(), []
        text = (self.folder / "told").read_text().strip()
        while text:
            one, end = decoder.raw_decode(text)
            found.append(one)
            text = text[end:].strip()
        return found

    def joining(self, kubeadm: Path, clock: Clock | None = None) -> Joining:
        return Joining(
            places=self.places,
            say=self.said.append,
            kubeadm=kubeadm,
            clearing=lambda role: Clearing(
                places=self.places, role=role, ports={}, systemctl=Path("/bin/true")
            ),
            choose=lambda *_: CHOICE,
            reach=lambda *_: None,
            clock=clock or Clock(stepped=timedelta),
            wait=self.waited.append,
        )


JoinConfig = dict[str, dict[str, object]]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def facts_from(office: Office) -> JoinFacts:
    """Return what the office tells, with the office itself as where to ask again."""
    facts = office.ask("/config/worker", token_of(office.worker)).facts
    assert facts.source
    return replace(facts, source=replace(facts.source, url=f"{office.url}/config/worker"))


def reported(api: KubeApi, name: str) -> dict[str, object]:
    found = api.request("GET", f"/api/v1/namespaces/ingot-infra/configmaps/node-{name}-join")
    data = found["data"]
    assert isinstance(data, dict)
    status: dict[str, object] = json.loads(data["status"])
    return status


def test_a_machine_joins_and_says_so(bench: Bench, office: Office, api: KubeApi) -> None:
    facts = facts_from(office)
    bench.tell(facts)
    bench.joining(bench.kubeadm("ok")).run()
    assert bench.places.stamp.exists()
    assert bench.waited == []
    (told,) = bench.told()
    assert told["discovery"]["tlsBootstrapToken"] == facts.token
    assert told["nodeRegistration"]["name"] == office.worker
    assert bench.said[-1] == f"{office.worker} has joined"
    assert reported(api, office.worker)["phase"] == "joined"


def test_the_files_with_the_token_are_for_root_alone_and_gone_afterwards(
    bench: Bench, office: Office
) -> None:
    facts = facts_from(office)
    bench.tell(facts)
    bench.joining(bench.kubeadm("ok")).run()
    assert bench.places.run.stat().st_mode & 0o777 == 0o700
    assert not [one for one in bench.places.run.iterdir() if facts.token in one.read_text()]
    assert facts.token not in "\n".join(bench.said)


def test_a_failure_is_told_cleared_away_and_tried_again(
    bench: Bench, office: Office, api: KubeApi
) -> None:
    bench.tell(facts_from(office))
    bench.joining(bench.kubeadm(FULL, FULL, "ok")).run()
    assert bench.waited == [5, 10]
    assert bench.said.count("failed: no space left on device") == 2
    assert bench.said.count("clearing away what an earlier try left") == 2
    assert "no space left on device" in office.logged()
    assert reported(api, office.worker)["failed"] is False


def test_a_token_that_has_expired_is_replaced_by_a_fresh_one(bench: Bench, office: Office) -> None:
    old = facts_from(office)
    bench.tell(old)
    bench.joining(bench.kubeadm(REFUSED, "ok")).run()
    first, second = (told["discovery"]["tlsBootstrapToken"] for told in bench.told())
    assert first == old.token
    assert second != old.token
    kept = JoinFacts.parse(bench.places.join_file.read_text())
    assert kept.token == second
    assert bench.places.join_file.stat().st_mode & 0o777 == 0o600


def test_a_token_that_is_known_to_have_expired_is_not_tried(bench: Bench, office: Office) -> None:
    old = replace(facts_from(office), expires=datetime(2020, 1, 1, tzinfo=UTC))
    bench.tell(old)
    bench.joining(bench.kubeadm("ok")).run()
    (told,) = bench.told()
    assert told["discovery"]["tlsBootstrapToken"] != old.token


def test_without_a_config_server_the_old_token_has_to_do(bench: Bench, office: Office) -> None:
    bench.tell(replace(facts_from(office), source=None))
    bench.joining(bench.kubeadm(REFUSED, "ok")).run()
    assert any(line.startswith("no fresh token: ") for line in bench.said)
    assert bench.places.stamp.exists()


def test_a_machine_that_has_joined_does_nothing(bench: Bench, office: Office) -> None:
    bench.tell(facts_from(office))
    bench.joining(bench.kubeadm("ok")).run()
    bench.joining(bench.kubeadm("never called")).run()
    assert len(bench.told()) == 1
    assert bench.said[-1] == f"{office.worker} has joined before"


def test_a_worker_ended_before_its_join_was_written_down_is_taken_for_joined(
    bench: Bench, office: Office
) -> None:
    bench.tell(facts_from(office))
    joining = bench.joining(bench.kubeadm("never called"))
    (bench.places.kubernetes / "kubelet.conf").write_text("")
    joining.run()
    assert bench.places.stamp.exists()
    assert not (bench.folder / "told").exists()


def test_a_control_plane_joins_with_an_address_to_advertise(bench: Bench, office: Office) -> None:
    bench.tell(replace(facts_from(office), role=Role.CONTROL_PLANE))
    bench.joining(bench.kubeadm("ok")).run()
    (told,) = bench.told()
    assert told["controlPlane"]["localAPIEndpoint"] == {
        "advertiseAddress": "192.0.2.21", "bindPort": 6443,
    }  # fmt: skip


def test_a_clock_that_was_set_is_told_and_does_not_keep_it_from_joining(
    bench: Bench, office: Office, api: KubeApi
) -> None:
    facts = facts_from(office)
    bench.tell(facts)
    bench.joining(bench.kubeadm("ok"), Clock(stepped=lambda: timedelta(days=1))).run()
    seen = eventually(lambda: visits(api, facts.name), within=30, every=0.05)
    assert seen["clock"] == "its clock was 24 h behind the time, and has been set"
    assert bench.places.stamp.exists()


def test_a_clock_that_nobody_sets_is_reported_and_kubeadm_waits_for_it(
    bench: Bench, office: Office, api: KubeApi
) -> None:
    facts = facts_from(office)
    bench.tell(facts)
    answers = iter([-timedelta(days=1)] * 2)

    def differs(_: Source) -> timedelta:
        found = next(answers, timedelta())
        if not found:  # The first try has failed by now, and the second is under way.
            eventually(
                lambda: visits(api, facts.name) and reported(api, facts.name)["phase"] == "clock",
                within=30,
                every=0.05,
            )
            assert not (bench.folder / "words").exists()
        return found

    clock = Clock(differs=differs, stepped=timedelta, wait=lambda _: None, limit=3)
    bench.joining(bench.kubeadm("ok"), clock).run()
    assert any("failed: its clock is 24 h behind" in line for line in bench.said)
    assert bench.waited == [5.0]


def visits(api: KubeApi, name: str) -> dict[str, object] | None:
    named = f"fieldSelector=metadata.name=node-{name}-config"
    found = api.request("GET", f"/api/v1/namespaces/ingot-infra/configmaps?{named}")
    items = found["items"]
    assert isinstance(items, list)
    status: dict[str, object] | None = json.loads(items[0]["data"]["status"]) if items else None
    return status if status and status["clock"] else None
