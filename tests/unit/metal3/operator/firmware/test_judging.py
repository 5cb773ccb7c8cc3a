"""Each rule that refuses a wanted BIOS setting, and what it says."""

from __future__ import annotations

import pytest

from ingot.ironic.hardware import BiosSetting
from ingot.metal3.operator.firmware.judging import NO_SETTINGS, problem, problems


def setting(name: str = "Setting", **said: object) -> BiosSetting:
    return BiosSetting(name=name, value="old", **said)  # type: ignore[arg-type]


MODE = setting(attribute_type="Enumeration", allowable_values=("Uefi", "LegacyBios"))
SECONDS = setting(attribute_type="Integer", lower_bound=0, upper_bound=60)
TAG = setting(attribute_type="String", min_length=2, max_length=4)
QUIET = setting(attribute_type="Boolean")


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ("Uefi", MODE),
        ("anything", setting(attribute_type="Enumeration")),
        (7, setting(attribute_type="Enumeration", allowable_values=("7", "8"))),
        (0, SECONDS),
        ("60", SECONDS),
        (-5, setting(attribute_type="Integer")),
        ("ab", TAG),
        (1234, TAG),
        ("", setting(attribute_type="String")),
        ("true", QUIET),
        ("False", QUIET),
        ("anything", setting()),
        (5, setting(read_only=False)),
    ],
)
def test_a_value_within_the_limits_is_taken(value: int | str, known: BiosSetting) -> None:
    assert problem("Setting", value, known) == ""


@pytest.mark.parametrize(
    ("value", "known", "why"),
    [
        ("Bios", MODE, "Setting: 'Bios' is none of Uefi, LegacyBios"),
        ("uefi", MODE, "Setting: 'uefi' is none of Uefi, LegacyBios"),
        (-1, SECONDS, "Setting: -1 is less than 0"),
        ("61", SECONDS, "Setting: 61 is more than 60"),
        ("ten", SECONDS, "Setting: 'ten' is no whole number in plain digits"),
        ("05", SECONDS, "Setting: '05' is no whole number in plain digits"),
        ("1.5", SECONDS, "Setting: '1.5' is no whole number in plain digits"),
        ("", SECONDS, "Setting: '' is no whole number in plain digits"),
        ("٣", SECONDS, "Setting: '٣' is no whole number in plain digits"),
        ("a", TAG, "Setting: a text of 1 characters is shorter than 2"),
        (12345, TAG, "Setting: a text of 5 characters is longer than 4"),
        ("yes", QUIET, "Setting: 'yes' is neither true nor false"),
        (1, QUIET, "Setting: '1' is neither true nor false"),
        ("a", setting(read_only=True), "Setting: it cannot be changed"),
        ("a", None, "Setting: the host has no such setting"),
        (
            "a",
            setting(attribute_type="Password"),
            "Setting: settings of type Password cannot be set here",
        ),
        (
            "a",
            setting(attribute_type="Colour"),
            "Setting: settings of type Colour cannot be set here",
        ),
    ],
)
def test_another_value_is_refused_by_name(
    value: int | str, known: BiosSetting | None, why: str
) -> None:
    assert problem("Setting", value, known) == why


@pytest.mark.parametrize("name", ["SysPassword", "setuppassword", "PasswordStatus"])
def test_a_password_is_refused_and_not_repeated(name: str) -> None:
    said = problem(name, "hush", setting(name))
    assert said == f"{name}: passwords cannot be set here"


def test_all_wrong_settings_are_named_in_the_order_of_their_names() -> None:
    known = [setting("B", attribute_type="Boolean"), setting("C")]
    assert problems({"C": 1, "B": "on", "A": 1}, known) == (
        "A: the host has no such setting",
        "B: 'on' is neither true nor false",
    )


def test_a_host_without_settings_is_told_once() -> None:
    assert problems({"A": 1, "B": 2}, []) == (NO_SETTINGS,)
    assert problems({}, []) == ()
