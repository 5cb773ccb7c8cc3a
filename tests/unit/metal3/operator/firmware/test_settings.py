"""The status of HostFirmwareSettings."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ingot.ironic.hardware import BiosSetting
from ingot.metal3.api.conditions import Condition, ConditionStatus
from ingot.metal3.api.hardware import HardwareDetails, SystemVendor
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettingsStatus
from ingot.metal3.api.references import SchemaReference
from ingot.metal3.operator.firmware.conditions import SHOWN, complaint, is_judged, is_valid
from ingot.metal3.operator.firmware.schemas import schema_name, schema_spec
from ingot.metal3.operator.firmware.settings import differing, settings_status

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
SCHEMA = SchemaReference(name="schema-12345678", namespace="metal3")
QUIET = BiosSetting(name="QuietBoot", value="False", attribute_type="Boolean")
SECONDS = BiosSetting(name="BootTimeout", value="3", attribute_type="Integer", upper_bound=60)
SECRET = BiosSetting(name="SetupPassword", value="hush", attribute_type="String")
KINDS = "ChangeDetected", "Valid"


def status(
    wanted: dict[str, int | str],
    old: HostFirmwareSettingsStatus | None = None,
    *,
    generation: int = 1,
    now: datetime = NOW,
    found: tuple[BiosSetting, ...] = (QUIET, SECONDS, SECRET),
) -> HostFirmwareSettingsStatus:
    return settings_status(
        old or HostFirmwareSettingsStatus(),
        wanted,
        found,
        schema=SCHEMA,
        generation=generation,
        now=now,
    )


def shown(found: HostFirmwareSettingsStatus) -> dict[str, Condition]:
    return {condition.type: condition for condition in found.conditions}


def test_settings_are_kept_without_passwords() -> None:
    made = status({})
    assert made.settings == {"QuietBoot": "false", "BootTimeout": "3"}
    assert made.schema == SCHEMA
    assert made.last_updated == NOW


@pytest.mark.parametrize(
    ("kept", "told"),
    [("1", "true"), ("0", "false"), ("True", "true"), ("false", "false"), ("odd", "odd")],
)
def test_a_switch_is_told_as_it_may_be_written_whatever_ironics_database_makes_of_it(
    kept: str, told: str
) -> None:
    found = (replace(QUIET, value=kept), replace(SECONDS, value="1"))
    assert status({}, found=found).settings == {"QuietBoot": told, "BootTimeout": "1"}


def test_nothing_wanted_is_valid_and_no_change() -> None:
    conditions = shown(status({}))
    assert tuple(conditions) == KINDS
    assert conditions["ChangeDetected"].status is ConditionStatus.FALSE
    assert conditions["Valid"].status is ConditionStatus.TRUE
    assert {one.reason for one in conditions.values()} == {"Success"}


def test_another_value_is_a_change() -> None:
    conditions = shown(status({"BootTimeout": 10}))
    assert conditions["ChangeDetected"].status is ConditionStatus.TRUE
    assert conditions["Valid"].status is ConditionStatus.TRUE


def test_a_wrong_value_is_named_with_its_reason() -> None:
    made = status({"BootTimeout": 100, "SetupPassword": "mine"})
    valid = shown(made)["Valid"]
    assert valid.status is ConditionStatus.FALSE
    assert valid.reason == "ConfigurationError"
    assert "BootTimeout: 100 is more than 60" in valid.message
    assert "SetupPassword: passwords cannot be set here" in valid.message
    assert "mine" not in valid.message
    assert complaint(made.conditions) == valid.message
    assert not is_valid(made.conditions)


def test_a_message_has_an_end() -> None:
    made = status({f"Setting{number:04}": 1 for number in range(2000)})
    message = shown(made)["Valid"].message
    assert message.endswith(f"; and {2000 - SHOWN} more")
    assert len(message) < 2000


def test_the_same_again_is_the_same_object() -> None:
    first = status({"BootTimeout": 10})
    assert status({"BootTimeout": 10}, first, now=LATER) is first


def test_a_new_generation_is_judged_anew_and_keeps_the_time_of_transition() -> None:
    first = status({"BootTimeout": 10})
    second = status({"BootTimeout": 11}, first, generation=2, now=LATER)
    assert is_judged(first.conditions, 1)
    assert not is_judged(first.conditions, 2)
    assert is_judged(second.conditions, 2)
    assert second.last_updated == LATER
    assert shown(second)["Valid"].last_transition_time == NOW
    third = status({"BootTimeout": 3}, second, generation=3, now=LATER)
    assert shown(third)["ChangeDetected"].last_transition_time == LATER


@pytest.mark.parametrize(
    ("wanted", "present", "differs"),
    [
        (10, "10", False),
        ("10", "10", False),
        (10, "3", True),
        ("true", "True", False),
        ("FALSE", "False", False),
        ("true", "False", True),
        ("Enabled", "enabled", True),
        ("", "", False),
        ("a", None, True),
    ],
)
def test_a_setting_differs_where_people_would_say_so(
    wanted: int | str, present: str | None, *, differs: bool
) -> None:
    had = {} if present is None else {"Setting": present}
    assert bool(differing({"Setting": wanted}, had)) is differs


def test_what_differs_is_text() -> None:
    assert differing({"B": 1, "A": "x", "C": "y"}, {"C": "y"}) == {"A": "x", "B": "1"}


def test_a_schema_is_named_by_its_limits_alone() -> None:
    plain = schema_spec([QUIET, SECONDS], None)
    name = schema_name(plain)
    assert name.startswith("schema-")
    assert len(name) == len("schema-") + 8
    vendor = SystemVendor(manufacturer="Maker", product_name="Model")
    named = schema_spec([SECONDS, QUIET], HardwareDetails(system_vendor=vendor))
    assert (named.hardware_vendor, named.hardware_model) == ("Maker", "Model")
    assert schema_name(named) == name
    assert schema_name(schema_spec([replace(QUIET, value="True"), SECONDS], None)) == name
    assert schema_name(schema_spec([QUIET, replace(SECONDS, upper_bound=61)], None)) != name
