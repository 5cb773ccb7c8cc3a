"""Processes that compete for a lease: never two at once, and never none for long."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Protocol

import pytest

from ingot.kube.client import Patch, Selection
from ingot.kube.kind import ObjectKey
from ingot.kube.leadership import LEASES, Leadership, LeadershipLost
from tests.e2e.site import eventually
from tests.integration.kube.candidate import TERMS
from tests.integration.kube.widgets import awaited, connected
from tests.integration.kubeapi import KubeApi, kube_api

SLACK = 3.0
"""Seconds that a loaded machine may add to what should take none; the lease lasts longer."""


@dataclass
class Candidate:
    process: subprocess.Popen[str]
    said: list[tuple[str, float]] = field(default_factory=list)

    def listen(self) -> None:
        for line in self.process.stdout or ():
            word, time = line.split()
            self.said.append((word, float(time)))

    def has_said(self, word: str) -> bool:
        return any(said == word for said, _ in self.said)

    def when(self, word: str) -> float:
        return next(time for said, time in self.said if said == word)

    @property
    def acted(self) -> tuple[float, float]:
        """From when to when it acted, as far as it has said."""
        times = [time for said, time in self.said if said in {"begin", "beat", "end"}]
        return times[0], times[-1]


class Start(Protocol):
    def __call__(self, name: str) -> Candidate: ...


@pytest.fixture
def start(api: KubeApi, namespace: str) -> Iterator[Start]:
    root = Path(__file__).parents[3]
    module = "tests.integration.kube.candidate"
    with ExitStack() as ending:

        def begin(name: str) -> Candidate:
            process = ending.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", module, api.kubeconfig(), namespace, name],
                    cwd=root,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            candidate = Candidate(process)
            listener = Thread(target=candidate.listen)
            listener.start()
            ending.callback(listener.join)
            ending.callback(process.kill)
            return candidate

        yield begin


def says(candidate: Candidate, word: str) -> None:
    eventually(lambda: candidate.has_said(word), within=30, every=0.02)


def leader_and_standby(start: Start) -> tuple[Candidate, Candidate]:
    first = start("first")
    says(first, "begin")
    second = start("second")
    says(second, "ready")
    return first, second


def test_one_of_three_acts(start: Start) -> None:
    candidates = [start(f"candidate-{number}") for number in range(3)]
    for candidate in candidates:
        says(candidate, "ready")
    eventually(lambda: any(one.has_said("begin") for one in candidates), within=30, every=0.02)
    leader = next(one for one in candidates if one.has_said("begin"))
    eventually(lambda: len(leader.said) > 2 * TERMS.duration / 0.05, within=60)
    assert [one.has_said("begin") for one in candidates].count(True) == 1


def test_standby_takes_over_at_once_when_the_leader_stops(start: Start) -> None:
    first, second = leader_and_standby(start)
    first.process.send_signal(signal.SIGTERM)
    says(second, "begin")
    assert first.when("end") <= second.when("begin") <= first.when("end") + SLACK


def test_standby_takes_over_when_the_lease_of_a_killed_leader_expires(start: Start) -> None:
    first, second = leader_and_standby(start)
    first.process.kill()
    first.process.wait(10)
    says(second, "begin")
    _, last = first.acted
    waited = second.when("begin") - last
    assert waited > TERMS.duration / 2, "it is believed in for as long as it promised"
    assert waited <= TERMS.duration + TERMS.retry_period + SLACK


def test_leader_that_was_frozen_does_not_act_when_it_wakes(start: Start) -> None:
    first, second = leader_and_standby(start)
    first.process.send_signal(signal.SIGSTOP)
    says(second, "begin")
    first.process.send_signal(signal.SIGCONT)
    says(first, "lost")
    _, stopped = first.acted
    late = [time for word, time in first.said if word == "beat" and time > second.when("begin")]
    assert len(late) <= 1, "at most the step that it was frozen in"
    assert stopped <= first.when("lost")


def test_leader_without_a_server_stops_before_another_may_begin(api: KubeApi, start: Start) -> None:
    first, second = leader_and_standby(start)
    api.pause_api()
    try:
        says(first, "lost")
    finally:
        api.resume_api()
    says(second, "begin")
    assert first.acted[1] <= second.acted[0]


@awaited()
async def test_lease_names_its_holder_and_counts_its_changes(api: KubeApi, namespace: str) -> None:
    key = ObjectKey(namespace, "leader")
    async with connected(api) as client:
        for turn in range(2):
            stop = asyncio.Event()
            leadership = Leadership(client, key, identity=f"turn-{turn}", terms=TERMS)

            async def act(turn: int = turn, leadership: Leadership = leadership) -> None:
                spec = (await client.get(LEASES, key)).content["spec"]
                assert spec["holderIdentity"] == f"turn-{turn}"
                assert spec["leaseTransitions"] == turn
                assert leadership.held()

            await leadership.run(act, stop)
            assert not leadership.held()
            spec = (await client.get(LEASES, key)).content["spec"]
            assert not spec.get("holderIdentity"), "released"


@awaited()
async def test_acting_is_cancelled_when_another_name_stands_in_the_lease(
    api: KubeApi, namespace: str
) -> None:
    key = ObjectKey(namespace, "leader")
    acted = asyncio.Event()
    ended = asyncio.Event()
    async with connected(api) as client:
        leadership = Leadership(client, key, terms=TERMS)

        async def act() -> None:
            acted.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        leading = asyncio.create_task(leadership.run(act, asyncio.Event()))
        await acted.wait()
        usurped = {"spec": {"holderIdentity": "usurper"}}
        await client.patch(LEASES, key, usurped, how=Patch.MERGE)
        with pytest.raises(LeadershipLost, match="usurper"):
            await leading
        assert ended.is_set()
        assert not leadership.held()
        spec = (await client.get(LEASES, key)).content["spec"]
        assert spec["holderIdentity"] == "usurper", "what is not ours is not released"


@awaited()
async def test_lease_that_was_deleted_is_written_again(api: KubeApi, namespace: str) -> None:
    key = ObjectKey(namespace, "leader")
    async with connected(api) as client:
        leadership = Leadership(client, key, terms=TERMS)

        async def act() -> None:
            await client.delete(LEASES, key)
            here = Selection(namespace)
            while not (await client.list(LEASES, here)).objects:  # noqa: ASYNC110 - only the API server knows
                await asyncio.sleep(0.05)
            assert leadership.held()

        await leadership.run(act, asyncio.Event())


def test_standby_waits_in_peace_at_a_server_that_is_younger_than_the_lease(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = ObjectKey("default", "leader")
    spec = {"holderIdentity": "other", "leaseDurationSeconds": 60}
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

    async def nothing() -> None:
        raise AssertionError("the lease is another's")

    async def stood_by(api: KubeApi) -> None:
        async with connected(api) as client:
            leadership = Leadership(client, key, identity="standby", terms=TERMS)
            waiting = asyncio.create_task(leadership.run(nothing, asyncio.Event()))
            await asyncio.wait([waiting], timeout=3 * TERMS.retry_period)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    with kube_api(tmp_path) as api:
        eventually(lambda: api.request("GET", "/api/v1/namespaces/default"), within=30)
        api.request("POST", leases, {"metadata": {"name": key.name}, "spec": spec})
        api.request("POST", leases, {"metadata": {"name": "a-later-one"}, "spec": spec})
        api.kill_api()
        api.start_api()
        asyncio.run(stood_by(api))
    assert "too old resource version" not in caplog.text
