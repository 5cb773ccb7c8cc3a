"""Which version is spoken."""

from __future__ import annotations

import pytest

from ingot.ironic.node import Node
from ingot.ironic.version import BASELINE, DISABLE_POWER_OFF, HEALTH, Microversion


@pytest.mark.parametrize(
    ("lowest", "highest", "best"),
    [
        ("1.1", "1.88", None),
        ("1.1", "1.89", "1.89"),
        ("1.1", "1.92", "1.89"),
        ("1.1", "1.94", "1.93"),
        ("1.1", "1.108", "1.95"),
        ("1.1", "1.109", "1.109"),
        ("1.1", "1.115", "1.110"),
        ("1.110", "1.200", "1.110"),
        ("1.111", "1.200", None),
        ("2.0", "2.5", None),
    ],
)
def test_the_best_version_of_ours_is_taken(lowest: str, highest: str, best: str | None) -> None:
    found = Microversion.best(lowest=Microversion.read(lowest), highest=Microversion.read(highest))
    assert (str(found) if found else None) == best


def test_versions_are_numbers_not_texts() -> None:
    assert Microversion.read("1.9") < Microversion.read("1.89") < Microversion.read("1.110")


def test_only_fields_that_a_version_has_are_asked_for() -> None:
    assert not {"disable_power_off", "health"} & set(Node.fields(BASELINE))
    assert "disable_power_off" in Node.fields(DISABLE_POWER_OFF)
    assert {"disable_power_off", "health"} <= set(Node.fields(HEALTH))
