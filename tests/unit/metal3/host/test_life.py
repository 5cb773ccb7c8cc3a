"""Whole lives in a simulated world: whatever happens, and whatever people do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.metal3.api import annotation
from ingot.metal3.api.states import ProvisioningState
from ingot.metal3.host.failing import backoff
from ingot.metal3.host.observation import (
    BootSeen,
    CredentialsGood,
    CredentialsMissing,
    CredentialsUnusable,
    FirmwareSeen,
    Site,
)
from tests.unit.metal3.host.hosts import IMAGE, MEDIA, NOW, OTHER, bmc
from tests.unit.metal3.host.world import World
from tests.unit.metal3.node.model import Choose

S = ProvisioningState


def lucky(options: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever may happen
    """Let everything end well; the model lists good ends first."""
    return options[0]


def unlucky(options: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever may happen
    """Let everything fail."""
    return options[1] if len(options) > 1 else options[0]


def fate(seed: int) -> Choose:
    """Let three of four things end well, so that lives get somewhere."""
    draw = random.Random(seed)  # noqa: S311 - a world that can be lived again

    def choose(options: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever may happen
        return options[0] if draw.randrange(4) else draw.choice(list(options))

    return choose


ACTIONS: dict[str, Callable[[World], None]] = {
    "wants the image": lambda world: world.edit(image=IMAGE),
    "wants another image": lambda world: world.edit(image=OTHER),
    "wants no image": lambda world: world.edit(image=None),
    "wants it on": lambda world: world.edit(online=True),
    "wants it off": lambda world: world.edit(online=False, disable_power_off=False),
    "forbids to turn it off": lambda world: world.edit(online=True, disable_power_off=True),
    "asks for a reboot": lambda world: world.annotate(annotation.REBOOT),
    "asks for a hard reboot now": lambda world: world.annotate(
        annotation.REBOOT, '{"mode": "hard", "force": true}'
    ),
    "holds it off": lambda world: world.annotate(annotation.REBOOT_WITH_KEY + "fence"),
    "lets go": lambda world: world.annotate(annotation.REBOOT_WITH_KEY + "fence", None),
    "asks for an inspection": lambda world: world.annotate(annotation.INSPECT),
    "detaches it": lambda world: world.annotate(annotation.DETACHED, '{"force": true}'),
    "attaches it": lambda world: world.annotate(annotation.DETACHED, None),
    "pauses it": lambda world: world.annotate(annotation.PAUSED),
    "goes on": lambda world: world.annotate(annotation.PAUSED, None),
    "deletes it": lambda world: world.delete(),
    "changes the password": lambda world: setattr(world, "credentials", CredentialsGood("2")),
    "loses the Secret": lambda world: setattr(world, "credentials", CredentialsMissing()),
    "spoils the Secret": lambda world: setattr(world, "credentials", CredentialsUnusable("empty")),
    "Ironic dies": lambda world: setattr(world, "ironic_up", False),
    "Ironic is back": lambda world: setattr(world, "ironic_up", True),
    "Ironic loses its database": lambda world: world.ironic.forget(),
    "firmware is to change": lambda world: setattr(
        world,
        "firmware",
        FirmwareSeen(asked=True, settings={"BootMode": "Uefi"}, settings_on_reboot=True),
    ),
    "firmware is as it should be": lambda world: setattr(world, "firmware", FirmwareSeen()),
    "its boots are lost": lambda world: setattr(world, "boot", BootSeen(powered_on=world.now)),
    "its boots cannot be seen": lambda world: setattr(world, "boot", None),
    "the site is full": lambda world: setattr(world, "site", Site(working=20, booting=8)),
    "the site is free": lambda world: setattr(world, "site", Site()),
}

# Without an action, only time passes and something happens.
steps = st.one_of(st.just(""), st.just(""), st.just(""), st.sampled_from(sorted(ACTIONS)))
plans = st.lists(steps, min_size=20, max_size=80)
seeds = st.integers(0, 2**32)


def live(world: World, plan: Sequence[str], choose: Choose) -> None:
    for step in plan:
        if step:
            ACTIONS[step](world)
        decision = world.look()
        if world.gone:
            return
        world.happen(choose)
        world.now += timedelta(seconds=max(1.0, min(decision.requeue_after or 60.0, 36000.0)))


def until(world: World, state: ProvisioningState) -> None:
    while world.state is not state:
        world.look()
        world.happen(lucky)
        world.now += timedelta(seconds=10)


worlds = st.builds(
    World.new,
    bmc=st.sampled_from([bmc(), bmc(MEDIA)]),
    online=st.booleans(),
    image=st.sampled_from([None, IMAGE]),
    externally_provisioned=st.sampled_from([False, False, True]),
)


@settings(max_examples=150, deadline=None)
@given(world=worlds, plan=plans, seed=seeds)
def test_any_life_keeps_to_the_table_and_never_cuts_off_a_host_in_use(
    world: World, plan: list[str], seed: int
) -> None:
    live(world, plan, fate(seed))


@pytest.mark.parametrize("dead", [True, False], ids=["Ironic dead", "Ironic alive"])
@settings(max_examples=80, deadline=None)
@given(world=worlds, plan=plans, seed=seeds)
def test_any_host_can_be_deleted_in_bounded_time(
    world: World, plan: list[str], seed: int, *, dead: bool
) -> None:
    live(world, plan, fate(seed))
    world.annotate(annotation.PAUSED, None)
    world.annotate(annotation.DETACHED, None)
    world.delete()
    world.ironic_up = not dead
    begun, ends = world.now, random.Random(seed).choice  # noqa: S311 - as above
    for _ in range(3000):
        if world.gone:
            break
        decision = world.look()
        world.happen(unlucky if ends(range(2)) else lucky)
        after = decision.requeue_after
        assert after is not None or world.gone
        world.now += timedelta(seconds=max(1.0, after or 0.0))
    assert world.gone
    limits = world.settings.deletion
    bound = limits.deprovisioning + limits.powering_off + limits.deleting + limits.without_ironic
    slack = 3 * 8 * 60 * 3  # three back-offs in each of three steps
    assert world.now - begun < timedelta(seconds=bound + slack)


@settings(max_examples=60, deadline=None)
@given(world=worlds, plan=plans, seed=seeds)
def test_a_stable_world_reaches_a_fixed_point(world: World, plan: list[str], seed: int) -> None:
    live(world, plan, fate(seed))
    world.ironic_up, world.credentials = True, CredentialsGood("3")
    world.site = Site()
    world.settle(lucky)
    again = world.decide()
    assert not again.changed
    assert not again.calls
    assert not again.events
    assert not again.annotations_removed


@settings(max_examples=60, deadline=None)
@given(world=worlds, plan=plans, seed=seeds)
def test_dying_between_the_status_and_the_calls_loses_nothing(
    world: World, plan: list[str], seed: int
) -> None:
    live(world, plan, fate(seed))
    if world.gone:
        return
    world.look(dies=True)
    world.ironic_up, world.credentials = True, CredentialsGood("3")
    world.site = Site()
    world.settle(lucky)


def test_a_new_host_with_an_image_becomes_provisioned_and_stays_so() -> None:
    world = World.new(image=IMAGE)
    world.settle(lucky)
    assert world.state is S.PROVISIONED
    assert world.host.status.provisioning.image == IMAGE
    assert world.host.status.hardware is not None
    assert world.host.status.error_type is None
    assert world.powered


def test_a_running_server_comes_back_untouched_after_ironic_lost_its_database() -> None:
    world = World.new(image=IMAGE)
    world.settle(lucky)
    before = world.power_actions
    world.ironic.forget()
    world.settle(lucky)
    assert world.state is S.PROVISIONED
    assert world.ironic.document is not None
    assert world.ironic.document["provision_state"] == "active"
    assert world.power_actions == before
    assert world.powered


def test_a_database_lost_in_the_middle_of_provisioning_ends_provisioned() -> None:
    world = World.new(image=IMAGE)
    until(world, S.PROVISIONING)
    world.look()
    world.ironic.forget()
    world.settle(lucky)
    assert world.state is S.PROVISIONED


def test_a_database_lost_in_the_middle_of_servicing_ends_serviced_and_on() -> None:
    world = World.new(image=IMAGE)
    world.settle(lucky)
    ACTIONS["firmware is to change"](world)
    ACTIONS["asks for a reboot"](world)
    while world.ironic.document and world.ironic.document["provision_state"] != "servicing":
        world.look()
        world.happen(lucky)
        world.now += timedelta(seconds=10)
        world.look()
    world.ironic.forget()
    world.settle(lucky)
    assert world.state is S.PROVISIONED
    assert world.host.status.error_type is None
    assert world.powered


def test_a_changed_input_is_tried_at_once_and_counted_from_the_beginning() -> None:
    world = World.new(image=IMAGE)
    decision = world.look()
    while world.host.status.error_count < 3:
        world.happen(unlucky)
        world.now += timedelta(seconds=max(1.0, decision.requeue_after or 0.0))
        decision = world.look()
    assert not world.look().calls
    world.credentials = CredentialsGood("2")
    assert world.look().calls
    assert world.host.status.error_count == 0


def test_waits_never_get_shorter_while_the_same_thing_fails() -> None:
    waits = [backoff(count, "some-uid") for count in range(1, 15)]
    assert waits == sorted(waits)
    for count, wait in enumerate(waits, start=1):
        whole = 2 ** min(count, 9) * 60
        assert whole / 2 < wait <= whole


def test_hosts_that_fail_together_do_not_come_back_together() -> None:
    assert len({backoff(3, f"uid-{number}") for number in range(100)}) == 100


def test_back_off_grows_with_each_failure_and_names_the_next_try() -> None:
    world = World.new()
    waits: list[float] = []
    while len(waits) < 5:
        decision = world.look()
        world.happen(unlucky)
        if decision.status.error_count > len(waits):
            assert decision.requeue_after is not None
            waits.append(decision.requeue_after)
            at = NOW + (world.now - NOW) + timedelta(seconds=decision.requeue_after)
            assert at.strftime("%Y-%m-%dT%H:%M:%SZ") in decision.explanation
        world.now += timedelta(seconds=max(1.0, decision.requeue_after or 0.0))
    assert waits == sorted(waits)


def test_a_host_that_is_restored_elsewhere_goes_on_where_it_was() -> None:
    world = World.new(image=IMAGE)
    world.settle(lucky)
    moved = World.new(image=IMAGE)
    moved.powered = True
    moved.host = replace(moved.host, status=world.host.status)
    moved.settle(lucky)
    assert moved.state is S.PROVISIONED
    assert moved.power_actions == 0
