"""Lost boots, and places for boots."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.states import ErrorType, OperationalStatus
from ingot.metal3.host.memory import Memory, recall
from ingot.metal3.host.observation import BootSeen, NodeSeen, Observation, Site
from ingot.metal3.host.settings import BootLimits, Settings
from ingot.metal3.node.goal import Deprovision, Inspect, Prepare, Provision
from ingot.metal3.node.progress import Done, Failed, Progress
from tests.unit.metal3.host.hosts import (
    GOOD,
    IMAGE,
    MEDIA,
    NOW,
    N,
    S,
    act,
    bmc,
    broken,
    condition,
    counted,
    host,
    look,
    reasons,
    seen,
    then,
    wait,
)

WAITS = NodeSeen(id="node-1", state=N.INSPECT_WAIT, powered_on=True)
IN_USE: dict[str, Any] = {"image": IMAGE, "provisioning": {"image": IMAGE}}


def at(seconds: float | None) -> Any:  # noqa: ANN401 - a time or none
    return None if seconds is None else NOW + timedelta(seconds=seconds)


def boot(*signs: float | None, on: float = 0.0) -> BootSeen:
    """Return a boot: seconds after NOW of DHCP, boot file, kernel and agent."""
    names = ("dhcp", "boot_file", "kernel", "agent")
    times = dict(zip(names, signs, strict=False))
    return BootSeen(powered_on=at(on), **{name: at(one) for name, one in times.items()})


def inspecting(facts: BootSeen | None, *, node: NodeSeen = WAITS) -> Observation[str]:
    """Return a server that waits for its agent; begun anew, its inspection is aborted."""

    def progress_of(goal: object) -> Progress[str]:
        if isinstance(goal, Inspect):
            return act("abort") if goal.forced_reboot else wait()
        return Done()

    return Observation(credentials=GOOD, node=node, boot=facts, progress_of=progress_of)


LOST = {
    "no DHCP request": (boot(), 600, "NoDHCP"),
    "no boot file": (boot(100), 160, "NoBootFile"),
    "no kernel": (boot(100, 110), 290, "NoKernel"),
    "no agent": (boot(100, 110, 120), 720, "NoAgent"),
    "kernel without a DHCP request that we saw": (boot(None, None, 120), 720, "NoAgent"),
    "signs of the boot before do not count": (boot(-50, -40, -30, -20), 600, "NoDHCP"),
}


@pytest.mark.parametrize("row", LOST)
def test_a_lost_boot_is_named_and_power_cycled_after_its_own_limit(row: str) -> None:
    facts, limit, reason = LOST[row]
    subject = host(S.INSPECTING)
    early = look(subject, inspecting(facts), after=limit - 1)
    assert not early.calls
    assert early.requeue_after == 1
    late = look(subject, inspecting(facts), after=limit)
    assert late.calls == ("abort",)
    assert condition(late, "BootLost") == ("True", reason)
    assert reasons(late) == {"BootLost"}
    assert "ingot_boot_lost_total" in counted(late)
    assert late.status.error_type is None
    progressing = next(one for one in late.status.conditions if one.type == "Progressing")
    assert "no sign of" in progressing.message


def test_virtual_media_has_one_limit_as_nothing_in_between_can_be_seen() -> None:
    subject = host(S.INSPECTING, bmc=bmc(MEDIA))
    assert not look(subject, inspecting(boot()), after=1499).calls
    late = look(subject, inspecting(boot()), after=1500)
    assert condition(late, "BootLost") == ("True", "NoAgent")


def test_a_boot_that_reached_its_agent_is_left_to_ironic() -> None:
    decision = look(host(S.INSPECTING), inspecting(boot(10, 20, 30, 60)), after=5000)
    assert not decision.calls
    assert decision.requeue_after == 10


def test_a_boot_that_cannot_be_seen_is_not_judged() -> None:
    assert not look(host(S.INSPECTING), inspecting(None), after=5000).calls


def test_nothing_is_judged_while_ironic_does_not_wait_for_the_agent() -> None:
    busy = NodeSeen(id="node-1", state=N.INSPECTING)
    assert not look(host(S.INSPECTING), inspecting(boot(), node=busy), after=5000).calls


def test_the_boot_is_told_as_it_goes() -> None:
    decision = look(host(S.INSPECTING), inspecting(boot(10, 20, 30)), after=40)
    assert decision.explanation == "waiting for the agent after the kernel was fetched"


def test_a_boot_lost_too_often_is_an_error_and_the_next_try_cycles_again() -> None:
    subject = host(S.INSPECTING)
    after = 0.0
    for cycle in (1, 2):
        after += 600
        decision = look(subject, inspecting(boot()), after=after)
        assert decision.calls
        lost = recall(decision.status, Memory.BOOT_LOST)
        assert lost is not None
        assert lost.number("cycles") == cycle
        subject = then(subject, decision)
        assert not look(subject, inspecting(boot()), after=after + 599).calls
    after += 600
    failed = look(subject, inspecting(boot()), after=after)
    assert failed.status.error_type is ErrorType.INSPECTION
    assert "a DHCP request" in failed.status.error_message
    assert "power-cycled 2 times" in failed.status.error_message
    subject = then(subject, failed)
    again = look(subject, inspecting(boot()), after=after + (failed.requeue_after or 0))
    assert again.calls == ("abort",)
    assert again.status.error_type is None
    assert again.status.error_count == 1


def test_a_boot_that_comes_up_after_a_cycle_is_lost_no_more() -> None:
    subject = host(S.INSPECTING)
    subject = then(subject, look(subject, inspecting(boot()), after=600))
    up = look(subject, inspecting(boot(700, 710, 720, 760, on=650)), after=770)
    assert condition(up, "BootLost") is None


def test_a_cycle_that_was_not_made_is_made_after_the_limit() -> None:
    subject = host(S.INSPECTING)
    subject = then(subject, look(subject, inspecting(boot()), after=600))
    assert look(subject, inspecting(boot()), after=1200).calls == ("abort",)


@pytest.mark.parametrize("answer", [wait(), broken()])
def test_a_boot_that_cannot_be_begun_anew_is_named_all_the_same(answer: Progress[str]) -> None:
    def progress_of(goal: object) -> Progress[str]:
        if isinstance(goal, Deprovision):
            return answer if goal.forced_reboot else wait()
        return Done()

    node = NodeSeen(id="node-1", state=N.CLEAN_WAIT)
    observed = Observation(credentials=GOOD, node=node, boot=boot(), progress_of=progress_of)
    decision = look(host(S.DEPROVISIONING), observed, after=600)
    assert not decision.calls
    assert condition(decision, "BootLost") == ("True", "NoDHCP")


def test_a_lost_boot_in_provisioning_begins_the_deployment_anew() -> None:
    node = NodeSeen(id="node-1", state=N.DEPLOY_WAIT)

    def progress_of(goal: object) -> Progress[str]:
        if isinstance(goal, Provision):
            return act("deleted") if goal.forced_reboot else wait()
        return Done()

    observed = Observation(credentials=GOOD, node=node, boot=boot(), progress_of=progress_of)
    decision = look(host(S.PROVISIONING, **IN_USE), observed, after=600)
    assert decision.calls == ("deleted",)
    assert decision.status.provisioning.state is S.PROVISIONING


def test_a_lost_boot_in_preparing_aborts_and_prepares_again_without_an_error() -> None:
    def answers(state: N) -> Observation[str]:
        def progress_of(goal: object) -> Progress[str]:
            if not isinstance(goal, Prepare):
                return Done()
            if state is N.CLEAN_WAIT:
                return act("abort", begins=False) if goal.forced_reboot else wait()
            if state is N.CLEAN_FAILED:
                return act("manage", begins=False) if not goal.started else Failed(why="aborted")
            return Done() if goal.started else act("clean")

        node = NodeSeen(id="node-1", state=state)
        return Observation(credentials=GOOD, node=node, boot=boot(), progress_of=progress_of)

    raid = RAID(hardware_raid_volumes=())
    subject = host(S.PREPARING, raid=raid, provisioning={"raid": raid})
    for state, call in (
        (N.CLEAN_WAIT, "abort"),
        (N.CLEAN_FAILED, "manage"),
        (N.MANAGEABLE, "clean"),
    ):
        decision = look(subject, answers(state), after=600)
        assert decision.calls == (call,)
        assert decision.status.error_type is None
        subject = then(subject, decision)
    assert subject.status.provisioning.raid == raid
    failed = look(subject, seen(S.PREPARING, {Prepare: broken()}, node=NodeSeen(
        id="node-1", state=N.CLEAN_FAILED)), after=700)  # fmt: skip
    assert failed.status.error_type is ErrorType.PREPARATION


def test_the_number_of_cycles_can_be_set() -> None:
    settings = Settings(boot=BootLimits(cycles=0))
    failed = look(host(S.INSPECTING), inspecting(boot()), after=600, settings=settings)
    assert failed.status.error_type is ErrorType.INSPECTION


# Places

FULL = Site(booting=8)
BEGINS: dict[str, tuple[S, dict[type, Progress[str]], dict[str, Any]]] = {
    "inspection": (S.INSPECTING, {Inspect: act()}, {}),
    "preparing": (S.PREPARING, {Prepare: act()}, {}),
    "provisioning": (S.PROVISIONING, {Provision: act()}, IN_USE),
    "deprovisioning": (S.DEPROVISIONING, {Deprovision: act()}, {}),
}


@pytest.mark.parametrize("work", BEGINS)
def test_a_boot_waits_for_its_place_in_a_named_state(work: str) -> None:
    state, answers, spec = BEGINS[work]
    subject = host(state, **spec)
    held = look(subject, seen(state, answers, site=FULL))
    assert not held.calls
    assert condition(held, "WaitingForBootSlot") == ("True", "WaitingForBootSlot")
    assert held.status.operational_status is OperationalStatus.DELAYED
    assert held.requeue_after == 15
    assert not look(then(subject, held), seen(state, answers, site=FULL)).changed
    free = look(then(subject, held), seen(state, answers, site=Site(booting=7)))
    assert free.calls
    assert condition(free, "WaitingForBootSlot") is None
    assert free.status.operational_status is OperationalStatus.OK


def test_a_host_that_boots_already_keeps_its_place() -> None:
    site = Site(booting=8, booting_here=True)
    assert look(host(S.INSPECTING), seen(S.INSPECTING, {Inspect: act()}, site=site)).calls


@pytest.mark.parametrize(
    "spec",
    [{"bmc": bmc(MEDIA)}, {"inspection_mode": InspectionMode.FAST}],
    ids=["virtual media", "out of band"],
)
def test_what_does_not_boot_over_the_network_needs_no_place(spec: dict[str, Any]) -> None:
    observed = seen(S.INSPECTING, {Inspect: act()}, site=FULL)
    assert look(host(S.INSPECTING, **spec), observed).calls


def test_virtual_media_needs_no_capacity_either() -> None:
    subject = host(image=IMAGE, bmc=bmc(MEDIA))
    decision = look(subject, seen(site=Site(working=100)))
    assert decision.status.provisioning.state is S.PROVISIONING


def test_the_number_of_boots_can_be_set() -> None:
    observed = seen(S.INSPECTING, {Inspect: act()}, site=Site(booting=8))
    assert look(host(S.INSPECTING), observed, settings=Settings(boots=9)).calls


@pytest.mark.parametrize(("after", "reason"), [(1439, None), (1440, "NoAgent"), (2000, "NoAgent")])
def test_server_that_boots_again_and_again_is_lost_in_the_end(
    after: float, reason: str | None
) -> None:
    """Turned on anew by Ironic each time that its power fails, it had no limit at all."""
    waits = replace(WAITS, since=at(0))
    facts = boot(after - 30, after - 20, after - 10, on=after - 40)
    decision = look(host(S.INSPECTING), inspecting(facts, node=waits), after=after)
    expected = ("True", reason) if reason else None
    assert condition(decision, Memory.BOOT_LOST) == expected
