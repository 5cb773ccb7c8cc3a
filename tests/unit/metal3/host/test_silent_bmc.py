"""A BMC that is asked at registration and does not answer: Ironic may go on asking for long."""

from __future__ import annotations

from datetime import timedelta

from ingot.metal3.api.states import ErrorType, OperationalStatus
from ingot.metal3.host.observation import NodeSeen, Observation
from ingot.metal3.node.goal import Goal, Register
from ingot.metal3.node.progress import Done, Progress
from tests.unit.metal3.host.hosts import NOW, N, S, broken, host, look, seen, then, wait

REGISTERING = host(S.REGISTERING)


def asked_for(seconds: float, answer: Progress[str] | None = None) -> Observation[str]:
    since = NOW - timedelta(seconds=seconds)
    node = NodeSeen(id="node-1", state=N.VERIFYING, since=since)
    return seen(S.REGISTERING, {Register: answer or wait()}, node=node)


def test_bmc_has_a_while_to_answer() -> None:
    assert look(REGISTERING, asked_for(100)).status.error_type is None


def test_silence_is_told_while_ironic_still_asks() -> None:
    told = look(REGISTERING, asked_for(130))
    assert told.status.error_type is ErrorType.REGISTRATION
    assert told.status.operational_status is OperationalStatus.ERROR
    assert "answers slowly or not at all" in told.status.error_message
    assert told.requeue_after == 10


def test_silence_is_told_once() -> None:
    told = look(REGISTERING, asked_for(130))
    again = look(then(REGISTERING, told), asked_for(150), after=20)
    assert not again.events
    assert again.status.error_count == 1


def test_answer_that_comes_late_is_a_good_one() -> None:
    told = look(REGISTERING, asked_for(130))
    late = look(then(REGISTERING, told), seen(S.REGISTERING), after=20)
    assert late.status.error_type is None
    assert late.status.error_count == 0
    assert late.status.provisioning.state is S.INSPECTING


def test_what_ironic_says_in_the_end_is_told_and_not_tried_over() -> None:
    told = look(REGISTERING, asked_for(130))
    goals: list[Goal] = []

    def progress_of(goal: Goal) -> Progress[str]:
        goals.append(goal)
        return broken("no route to host") if isinstance(goal, Register) else Done()

    enrolled = NodeSeen(id="node-1", state=N.ENROLL, since=NOW)
    observed = Observation(
        credentials=asked_for(0).credentials, node=enrolled, progress_of=progress_of
    )
    failed = look(then(REGISTERING, told), observed, after=20)
    assert goals == [Register(again=False)]
    assert failed.status.error_message == "no route to host"
