"""The status of HostFirmwareComponents."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ingot.metal3.api.conditions import Condition, ConditionStatus
from ingot.metal3.api.hostfirmwarecomponents import (
    ComponentStatus,
    FirmwareUpdate,
    HostFirmwareComponentsStatus,
)
from ingot.metal3.operator.firmware.components import NOT_OFFERED, components_status, not_made

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
BIOS = FirmwareUpdate(component="bios", url="http://images/bios-2")
BMC = FirmwareUpdate(component="bmc", url="http://images/bmc-2")
NIC = FirmwareUpdate(component="nic:NIC.1", url="http://images/nic-2")
LISTED = (ComponentStatus(component="bios", initial_version="1", current_version="1"),)


def status(
    *wanted: FirmwareUpdate,
    old: HostFirmwareComponentsStatus | None = None,
    offered: bool = True,
) -> HostFirmwareComponentsStatus:
    return components_status(
        old or HostFirmwareComponentsStatus(),
        wanted,
        LISTED,
        offered=offered,
        generation=1,
        now=NOW,
    )


def shown(found: HostFirmwareComponentsStatus) -> dict[str, Condition]:
    return {condition.type: condition for condition in found.conditions}


def test_components_are_kept() -> None:
    made = status()
    assert made.components == LISTED
    assert made.last_updated == NOW
    assert shown(made)["ChangeDetected"].status is ConditionStatus.FALSE
    assert shown(made)["Valid"].reason == "OK"
    assert status(old=made) is made


def test_an_update_that_was_not_made_is_a_change() -> None:
    made = status(BIOS, old=HostFirmwareComponentsStatus(updates=(BMC,)))
    assert shown(made)["ChangeDetected"].status is ConditionStatus.TRUE


def test_an_update_that_was_made_is_none() -> None:
    made = status(BIOS, old=HostFirmwareComponentsStatus(updates=(BIOS,)))
    assert shown(made)["ChangeDetected"].status is ConditionStatus.FALSE
    assert made.updates == (BIOS,)


def test_an_update_that_is_wanted_no_more_is_forgotten_so_that_it_can_be_made_again() -> None:
    made = status(BMC, old=HostFirmwareComponentsStatus(updates=(BIOS, BMC)))
    assert made.updates == (BMC,)
    assert not_made((BIOS, BMC), made.updates) == (BIOS,)


@pytest.mark.parametrize("update", [BIOS, BMC, NIC])
def test_known_components_are_valid(update: FirmwareUpdate) -> None:
    assert shown(status(update))["Valid"].status is ConditionStatus.TRUE


@pytest.mark.parametrize("name", ["BIOS", "nic", "nic:", "raid", ""])
def test_another_component_is_refused_by_name(name: str) -> None:
    valid = shown(status(BIOS, FirmwareUpdate(component=name, url="http://images/x")))["Valid"]
    assert valid.status is ConditionStatus.FALSE
    assert valid.reason == "InvalidComponent"
    assert valid.message.startswith(f"{name}: ")


def test_a_driver_that_cannot_update_says_so() -> None:
    valid = shown(status(BIOS, offered=False))["Valid"]
    assert valid.status is ConditionStatus.FALSE
    assert valid.message == NOT_OFFERED
    assert shown(status(offered=False))["Valid"].status is ConditionStatus.TRUE
