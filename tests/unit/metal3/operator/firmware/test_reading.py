"""When Ironic is asked again: seldom, and at once where somebody waits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.ironic.node import NodeId, NodeStatus
from ingot.ironic.states import PowerState, ProvisionState
from ingot.metal3.api.baremetalhost import BMCDetails, HostSpec
from ingot.metal3.operator.firmware.following import offers_settings, offers_updates
from ingot.metal3.operator.firmware.reading import (
    RARELY,
    REST,
    Reading,
    is_verified,
    stamp_of,
    until_next,
)

S = ProvisionState
NODE = NodeStatus(
    uuid=NodeId("1"),
    name="metal3~worker-0",
    provision_state=S.MANAGEABLE,
    target_provision_state=None,
    power_state=PowerState.OFF,
    target_power_state=None,
    last_error=None,
    maintenance=False,
    fault=None,
    instance_uuid=None,
    reservation=None,
    provision_updated_at="2026-03-01T12:00:00+00:00",
    boot_interface=None,
)
LAST = Reading(stamp=stamp_of(NODE), at=1000.0)
OTHER = replace(LAST, stamp="")


@pytest.mark.parametrize("state", [S.MANAGEABLE, S.INSPECT_WAIT, S.CLEANING, S.ACTIVE])
def test_what_was_never_read_is_read_at_once(state: ProvisionState) -> None:
    node = replace(NODE, provision_state=state)
    assert until_next(None, node, asked=False, now=1000.0) == 0


@pytest.mark.parametrize("asked", [False, True])
def test_where_nothing_has_changed_it_is_read_once_an_hour(*, asked: bool) -> None:
    assert until_next(LAST, NODE, asked=asked, now=1010.0) == RARELY - 10
    assert until_next(LAST, NODE, asked=asked, now=1000.0 + 2 * RARELY) == 0


def test_power_is_no_reason_to_read() -> None:
    node = replace(NODE, power_state=PowerState.ON, reservation="conductor", last_error="oh")
    assert stamp_of(node) == stamp_of(NODE)


def test_who_waits_for_a_change_is_served_at_once() -> None:
    assert until_next(OTHER, NODE, asked=True, now=1001.0) == 0


def test_who_asks_for_nothing_is_served_after_upstreams_interval() -> None:
    assert until_next(OTHER, NODE, asked=False, now=1001.0) == REST - 1
    assert until_next(OTHER, NODE, asked=False, now=1000.0 + REST) == 0


@pytest.mark.parametrize("state", [S.CLEANING, S.CLEAN_WAIT, S.SERVICING, S.INSPECTING])
def test_nobody_is_served_in_the_middle_of_something(state: ProvisionState) -> None:
    node = replace(NODE, provision_state=state)
    assert until_next(LAST, node, asked=True, now=1000.0 + 2 * RARELY) is None


def test_a_node_that_was_not_verified_has_nothing_to_tell() -> None:
    assert not is_verified(replace(NODE, provision_state=S.ENROLL))
    assert not is_verified(replace(NODE, provision_state=S.VERIFYING))
    assert is_verified(NODE)


@pytest.mark.parametrize(
    ("address", "driver", "offers"),
    [
        ("ipmi://10.0.0.7", None, False),
        ("ipmi://10.0.0.7", "fake-hardware", True),
        ("redfish://10.0.0.7/redfish/v1/Systems/1", None, True),
        ("idrac-virtualmedia://10.0.0.7/redfish/v1/Systems/1", None, True),
        ("nonsense://10.0.0.7", None, False),
        ("", "fake-hardware", False),
    ],
)
def test_what_a_host_offers_follows_from_its_address(
    address: str, driver: str | None, *, offers: bool
) -> None:
    bmc = BMCDetails(address=address, credentials_name="bmc") if address else None
    spec = HostSpec(online=True, bmc=bmc)
    assert offers_settings(spec, driver) is offers
    assert offers_updates(spec, driver) is offers
