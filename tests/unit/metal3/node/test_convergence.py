"""Any goal, from any state, whatever happens: it ends, and Ironic never has to refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.ironic.states import PowerTarget, ProvisionState, Verb
from ingot.ironic.version import BASELINE
from ingot.metal3.node import calls
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.goal import (
    Adopt,
    Delete,
    Deprovision,
    Detach,
    Goal,
    Inspect,
    PowerOff,
    PowerOn,
    Prepare,
    Provision,
    Register,
    Service,
)
from ingot.metal3.node.progress import Act, Done, Failed, Progress
from ingot.metal3.node.subject import Subject
from tests.unit.metal3.node.model import Choose, Model
from tests.unit.metal3.node.nodes import IMAGE, INSTANCE, MAC, SITE, host, node
from tests.unit.metal3.node.wishes import AGENT, BIOS, GOALS, used_up

S = ProvisionState
STEPS = 60
"""More than any way from anywhere takes: each operation ends, and none is begun twice."""

IN_USE = {
    S.ACTIVE,
    S.SERVICING,
    S.SERVICE_WAIT,
    S.SERVICE_HOLD,
    S.SERVICE_FAILED,
    S.RESCUE,
    S.RESCUE_FAILED,
    S.UNRESCUE_FAILED,
}

STUBBORN = {"step": "some", "abortable": False}

flag = st.booleans()
goals: st.SearchStrategy[Goal] = st.one_of(
    st.builds(Register, again=flag),
    st.builds(Inspect, mode=st.just(AGENT), again=flag, refresh=flag, forced_reboot=flag),
    st.builds(
        Prepare, bios=st.sampled_from([{}, BIOS]), started=flag, again=flag, forced_reboot=flag
    ),
    st.builds(
        Provision,
        instance_uuid=st.just(INSTANCE),
        image=st.sampled_from([IMAGE, replace(IMAGE, url="http://10.0.0.1/other")]),
        forced_reboot=flag,
    ),
    st.builds(Adopt, instance_uuid=st.just(INSTANCE), image=st.just(IMAGE), again=flag),
    st.builds(Deprovision, again=flag, clean=flag, forced_reboot=flag),
    st.builds(PowerOn, force=flag),
    st.builds(PowerOff, hard=flag, force=flag, abort=flag),
    st.builds(
        Service,
        bios=st.sampled_from([{}, BIOS]),
        started=flag,
        again=flag,
        withdrawn=flag,
        forced_reboot=flag,
    ),
    st.builds(Delete, force=flag),
    st.builds(Detach, force=flag),
)
subjects = st.builds(
    host,
    disable_power_off=flag,
    automated_clean=flag,
    site=st.sampled_from([SITE, replace(SITE, version=BASELINE)]),
).filter(lambda subject: subject.site.can_disable_power_off or not subject.disable_power_off)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Draw a node in any state, with anything that may have been left in it."""
    state = draw(st.sampled_from(list(ProvisionState)))
    working = state.is_transient and not state.is_wait
    broken = draw(st.sampled_from([None, "power failure", "clean failure"]))
    seen = node(
        state,
        last_error=draw(st.sampled_from([None, "it broke", "power state is unknown"])),
        maintenance=broken is not None or draw(flag),
        fault=broken,
        reservation="conductor" if working and draw(flag) else None,
        power_state=draw(st.sampled_from(["power on", "power off", None])),
        instance_uuid=draw(st.sampled_from([None, INSTANCE, "another"])),
        inspection_finished_at=draw(st.sampled_from([None, "2026-01-01T00:00:00"])),
        disable_power_off=draw(flag),
        deploy_interface=draw(st.sampled_from(["autodetect", "ramdisk"])),
        clean_step=draw(st.sampled_from([{}, STUBBORN])),
        deploy_step=draw(st.sampled_from([{}, STUBBORN])),
        service_step=draw(st.sampled_from([{}, STUBBORN])),
        target_provision_state=draw(st.sampled_from([None, "available", "manageable"])),
        driver=draw(st.sampled_from(["redfish", "ipmi"])),
    )
    return Model(dict(seen.document) | {"last_error": seen.status.last_error}, ports={MAC})


def step(goal: Goal, subject: Subject, model: Model, choose: Choose) -> tuple[Goal, Progress[Any]]:
    """Ask once, do what is said, and let time pass when that is all there is to do."""
    progress = advance(goal, subject, model.node())
    if isinstance(progress, Act):
        for call in progress.calls:
            model.perform(call)
        return (used_up(goal) if progress.begins else goal), progress
    if not isinstance(progress, Done | Failed):
        model.pass_time(choose)
    return goal, progress


def ended(
    goal: Goal,
    subject: Subject,
    model: Model,
    choose: Choose,
    happens: Callable[[], object] = lambda: None,
) -> Progress[Any]:
    """Return how a goal ends."""
    model.version = subject.site.version
    for _ in range(STEPS):
        goal, progress = step(goal, subject, model, choose)
        if isinstance(progress, Done | Failed):
            return progress
        happens()
    raise AssertionError(f"{goal} does not end: {model.made[-10:]}")


def chooser(data: st.DataObject) -> Choose:
    def choose(options: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the options
        return data.draw(st.sampled_from(list(options)))

    return choose


@settings(max_examples=400, deadline=None)
@given(goal=goals, subject=subjects, model=models(), data=st.data())
def test_every_goal_ends_from_every_state_without_an_illegal_call(
    goal: Goal, subject: Subject, model: Model, data: st.DataObject
) -> None:
    ended(goal, subject, model, chooser(data))


@settings(max_examples=200, deadline=None)
@given(goal=goals, subject=subjects, model=models(), data=st.data())
def test_every_goal_ends_though_ironic_loses_its_database(
    goal: Goal, subject: Subject, model: Model, data: st.DataObject
) -> None:
    left = [2]

    def happens() -> None:
        if left[0] and data.draw(flag):
            left[0] -= 1
            model.forget()

    ended(goal, subject, model, chooser(data), happens)


@settings(max_examples=200, deadline=None)
@given(
    several=st.lists(st.tuples(goals, st.integers(1, 12)), max_size=6),
    subject=subjects,
    model=models(),
    data=st.data(),
)
def test_whatever_was_wanted_before_a_host_can_be_removed(
    several: list[tuple[Goal, int]], subject: Subject, model: Model, data: st.DataObject
) -> None:
    choose = chooser(data)
    model.version = subject.site.version
    for goal, steps in several:
        for _ in range(steps):
            goal, _ = step(goal, subject, model, choose)  # noqa: PLW2901 - it is used up
    assert ended(Delete(force=True), subject, model, choose) == Done()
    assert model.document is None


def bad_end(options: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the options
    """Choose failure, with the fuss that Ironic makes of it."""
    return options[1] if isinstance(options[0], ProvisionState) else options[0]


def long_and_bad_end(options: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the options
    """Choose to wait for the agent first, and then that all fails, power too."""
    return options[-1]


LEFT_BEHIND: dict[str, dict[str, Any]] = {
    "nothing": {},
    "maintenance": {"maintenance": True},
    "power failure": {"maintenance": True, "fault": "power failure"},
    "steps that cannot be aborted": dict.fromkeys(
        ("clean_step", "deploy_step", "service_step"), STUBBORN
    ),
    "a lock": {"reservation": "conductor"},
    "another instance": {"instance_uuid": "another", "deploy_interface": "ramdisk"},
}


@pytest.mark.parametrize("left", LEFT_BEHIND)
@pytest.mark.parametrize("name", GOALS)
def test_every_goal_ends_from_every_state_though_all_fails(name: str, left: str) -> None:
    for state in ProvisionState:
        if left == "a lock" and (not state.is_transient or state.is_wait):
            continue  # Ironic holds it only while it works
        for choose in (lucky, bad_end, long_and_bad_end):
            for version in (BASELINE, SITE.version):
                seen = dict(node(state, **LEFT_BEHIND[left]).document)
                subject = host(site=replace(SITE, version=version))
                ended(GOALS[name], subject, Model(seen, ports={MAC}), choose)


def lucky(options: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the options
    """Choose the good end of everything."""
    return options[0]


GOOD: dict[str, tuple[Goal, set[ProvisionState]]] = {
    "register": (Register(), set(S) - {S.ENROLL, S.VERIFYING}),
    "inspect": (Inspect(mode=AGENT), {S.MANAGEABLE, S.AVAILABLE}),
    "prepare": (Prepare(bios=BIOS), {S.MANAGEABLE, S.AVAILABLE}),
    "provision": (Provision(instance_uuid=INSTANCE, image=IMAGE), {S.ACTIVE}),
    "adopt": (Adopt(instance_uuid=INSTANCE, image=IMAGE), {S.ACTIVE}),
    "deprovision": (Deprovision(), {S.AVAILABLE}),
}


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    "state", [None, S.ENROLL, S.MANAGEABLE, S.AVAILABLE, S.CLEANING, S.INSPECT_WAIT]
)
def test_a_goal_is_reached_where_nothing_fails(name: str, state: ProvisionState | None) -> None:
    goal, ends = GOOD[name]
    model = Model(dict(node(state).document) if state else None, ports={MAC} if state else set())
    assert ended(goal, host(), model, lucky) == Done()
    assert model.state in ends


@pytest.mark.parametrize("state", sorted(IN_USE))
@pytest.mark.parametrize("name", ["register", "inspect", "prepare", "provision", "adopt"])
def test_a_server_in_use_is_not_touched(name: str, state: ProvisionState) -> None:
    goal, _ = GOOD[name]
    model = Model(dict(node(state, instance_uuid=INSTANCE).document))
    ended(goal, host(), model, lucky)
    harmless = calls.PatchNode | calls.ClearMaintenance
    assert [call for call in model.made if not isinstance(call, harmless)] == []


@settings(max_examples=200, deadline=None)
@given(
    model=models(),
    goal=st.builds(Adopt, instance_uuid=st.just(INSTANCE), image=st.just(IMAGE), again=flag),
    subject=subjects,
    data=st.data(),
)
def test_taking_over_a_running_server_never_cleans_deploys_or_switches_it(
    model: Model, goal: Adopt, subject: Subject, data: st.DataObject
) -> None:
    left = [2]

    def happens() -> None:
        if left[0] and data.draw(flag):
            left[0] -= 1
            model.forget()

    ended(goal, subject, model, chooser(data), happens)
    asked = {call.verb for call in model.made if isinstance(call, calls.Ask)}
    assert asked <= {Verb.MANAGE, Verb.ADOPT}
    forbidden = calls.Deploy | calls.Clean | calls.Service | calls.SetPower
    assert not [call for call in model.made if isinstance(call, forbidden)]


@settings(max_examples=100, deadline=None)
@given(model=models(), goal=st.builds(PowerOff, hard=flag, force=flag), data=st.data())
def test_a_server_that_must_stay_on_is_never_powered_off(
    model: Model, goal: PowerOff, data: st.DataObject
) -> None:
    ended(goal, host(disable_power_off=True), model, chooser(data))
    asked = {call.target for call in model.made if isinstance(call, calls.SetPower)}
    assert asked <= {PowerTarget.REBOOT, PowerTarget.SOFT_REBOOT}
