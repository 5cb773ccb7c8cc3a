"""Laying facts over the emulator's documents."""

from __future__ import annotations

from ingot.lab.bmc.redfish.amendments import AMENDMENTS, GONE, amended
from ingot.lab.bmc.redfish.emulator import emulator


def test_changes_are_laid_over_at_every_depth() -> None:
    document = {"a": 1, "b": {"c": 2, "d": 3}, "e": [1]}
    changes = {"a": 9, "b": {"c": None, "d": GONE}, "e": [2], "f": {"g": 1}}
    assert amended(document, changes) == {"a": 9, "b": {"c": None}, "e": [2], "f": {"g": 1}}


def test_the_document_itself_stays_as_it_was() -> None:
    document = {"b": {"c": 2}}
    amended(document, {"b": {"c": 3}})
    assert document == {"b": {"c": 2}}


def test_every_amendment_is_for_a_view_that_the_emulator_has() -> None:
    assert set(AMENDMENTS) <= set(emulator().view_functions)
