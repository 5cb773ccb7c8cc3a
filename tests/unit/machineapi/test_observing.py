"""Conditions as they are kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.api.machine import MachineStatus
from ingot.machineapi.observing import Observation, difference, is_news, observed

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WAITS = Observation(
    "HostClaimed",
    holds=False,
    reason="NoFreeHost",
    message="none",
    severity=ConditionSeverity.WARNING,
)


def test_a_condition_keeps_its_time_while_its_status_stays() -> None:
    first = observed((), [WAITS], now=NOON)
    second = observed(
        first, [replace(WAITS, reason="NoMatchingHost")], now=NOON + timedelta(hours=1)
    )
    assert (second[0].reason, second[0].last_transition_time) == ("NoMatchingHost", NOON)


def test_a_condition_that_turns_has_a_new_time_and_no_severity() -> None:
    later = NOON + timedelta(hours=1)
    turned = observed(
        observed((), [WAITS], now=NOON), [Observation("HostClaimed", holds=True)], now=later
    )
    assert (turned[0].last_transition_time, turned[0].severity) == (later, None)


def test_what_is_not_said_is_kept() -> None:
    first = observed((), [WAITS], now=NOON)
    both = observed(first, [Observation("Drained", holds=True)], now=NOON)
    assert [one.type for one in both] == ["Drained", "HostClaimed"]


def test_only_another_reason_or_status_is_news() -> None:
    before = observed((), [WAITS], now=NOON)
    assert not is_news(before, replace(WAITS, message="other words"))
    assert is_news(before, replace(WAITS, reason="NoMatchingHost"))
    assert is_news((), WAITS)


def test_a_patch_has_what_differs_and_empties_what_is_gone() -> None:
    before = MachineStatus(phase="Failed", error_reason="HostGone", error_message="gone")
    after = MachineStatus(phase="Running", error_message="gone")
    assert difference(before, after) == {"phase": "Running", "errorReason": None}
    assert difference(after, after) == {}
