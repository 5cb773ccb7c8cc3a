"""Lost boots in whole lives: what Ironic cleans or services by itself is begun anew as well."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.api import annotation
from ingot.metal3.api.states import ErrorType, OperationalStatus, ProvisioningState
from ingot.metal3.host.memory import Memory, recall
from ingot.metal3.host.observation import BootSeen, FirmwareSeen
from ingot.metal3.node import calls
from tests.unit.metal3.host.hosts import IMAGE
from tests.unit.metal3.host.world import World

S = ProvisioningState
N = ProvisionState
BIOS = FirmwareSeen(asked=True, settings={"BootMode": "Uefi"}, settings_on_reboot=True)


def waiting(options: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever may happen
    """Let everything wait for its agent, and end well."""
    waits = [one for one in options if isinstance(one, N) and one.is_wait]
    return waits[0] if waits else options[0]


def live(world: World, until: ProvisionState) -> None:
    """Go on until the node is in a state."""
    for _ in range(60):
        if world.ironic.document is not None and world.ironic.state is until:
            return
        decision = world.look()
        if world.ironic.document is None or world.ironic.state is not until:
            world.happen(waiting)
        world.now += timedelta(seconds=min(decision.requeue_after or 60.0, 60.0))
    raise AssertionError(f"never {until}: {world.last}")


def in_use(firmware: FirmwareSeen | None = None) -> World:
    world = World.new(image=IMAGE)
    world.settle(waiting)
    assert world.state is S.PROVISIONED
    world.firmware = firmware or FirmwareSeen()
    return world


def cleaned_before_it_is_provisioned() -> World:
    world = World.new()
    world.settle(waiting)
    world.edit(image=IMAGE)
    live(world, N.CLEAN_WAIT)
    assert world.state is S.PROVISIONING
    return world


def cleaned_after_it_was_used() -> World:
    world = in_use()
    world.edit(image=None)
    live(world, N.CLEAN_WAIT)
    assert world.state is S.DEPROVISIONING
    return world


def serviced() -> World:
    world = in_use(BIOS)
    world.annotate(annotation.REBOOT)
    live(world, N.SERVICE_WAIT)
    return world


CASES = {
    "cleaning before a deployment": (cleaned_before_it_is_provisioned, S.PROVISIONED),
    "cleaning after a deployment": (cleaned_after_it_was_used, S.AVAILABLE),
    "a service": (serviced, S.PROVISIONED),
}


def lost(world: World) -> None:
    """Let the boot that is waited for be lost, and look."""
    world.boot = BootSeen(powered_on=world.now)
    world.now += timedelta(minutes=10)
    world.ironic.made.clear()
    world.look()


@pytest.mark.parametrize("case", CASES)
def test_a_lost_boot_is_begun_anew_and_ends_well(case: str) -> None:
    begun, end = CASES[case]
    world = begun()
    waited = world.ironic.state
    lost(world)
    [abort] = world.ironic.made
    assert isinstance(abort, calls.Ask)
    assert abort.verb is Verb.ABORT
    known = recall(world.host.status, Memory.BOOT_LOST)
    assert known is not None
    assert (known.reason, known.number("cycles")) == ("NoDHCP", 1)
    live(world, waited)
    assert world.host.status.error_type is None
    world.boot = BootSeen(powered_on=world.now, agent=world.now)
    world.settle(waiting)
    assert world.state is end
    assert world.host.status.operational_status is OperationalStatus.OK
    assert recall(world.host.status, Memory.BOOT_LOST) is None


KINDS = {
    "cleaning before a deployment": ErrorType.PROVISIONING,
    "cleaning after a deployment": ErrorType.PROVISIONING,
    "a service": ErrorType.SERVICING,
}


@pytest.mark.parametrize("case", CASES)
def test_a_boot_that_is_lost_too_often_is_an_error(case: str) -> None:
    world = CASES[case][0]()
    waited = world.ironic.state
    for _ in range(world.settings.boot.cycles):
        lost(world)
        live(world, waited)
    lost(world)
    assert world.ironic.made == []
    assert world.host.status.error_type is KINDS[case]
    assert "power-cycled 2 times" in world.host.status.error_message


def test_firmware_that_is_changed_is_not_cut_off() -> None:
    world = serviced()
    assert world.ironic.document is not None
    world.ironic.document["service_step"] = {"step": "update", "abortable": True}
    lost(world)
    assert world.ironic.made == []
    assert recall(world.host.status, Memory.BOOT_LOST) is None


def test_a_service_that_was_begun_anew_changes_the_firmware_again() -> None:
    world = serviced()
    lost(world)
    live(world, N.SERVICE_WAIT)
    assert [call for call in world.ironic.made if isinstance(call, calls.Service)]
