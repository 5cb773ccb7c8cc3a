"""How far a boot has come, from Ironic's node and the boot servers' logs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ingot.ironic.node import Node
from ingot.metal3.operator.boots.trail import Signs
from ingot.metal3.operator.hosts.booting import agent_awaited, boot_seen

WAITS = "2026-11-16T06:00:00+00:00"


def node(
    state: str,
    *,
    heard: str | None = None,
    since: str | None = WAITS,
    changed: str | None = None,
    step: str | None = None,
) -> Node:
    told = {"agent_last_heartbeat": heard, "last_power_state_change": changed}
    return Node.read(
        {
            "uuid": "a",
            "provision_state": state,
            "provision_updated_at": since,
            "clean_step": {"step": step} if step else {},
            "driver_internal_info": {name: text for name, text in told.items() if text},
        }
    )


def at(minute: int) -> datetime:
    return datetime(2026, 11, 16, 6, minute, tzinfo=UTC)


@pytest.mark.parametrize("state", ["inspect wait", "clean wait", "wait call-back", "service wait"])
def test_boot_begins_when_ironic_begins_to_wait(state: str) -> None:
    seen = boot_seen(node(state), Signs(dhcp=at(1)), over_network=True)
    assert seen is not None
    assert (seen.powered_on, seen.dhcp, seen.agent) == (at(0), at(1), None)


@pytest.mark.parametrize("state", ["available", "active", "deploying", "manageable"])
def test_nothing_boots_while_ironic_does_not_wait(state: str) -> None:
    assert boot_seen(node(state), Signs(), over_network=True) is None


def test_network_boot_cannot_be_seen_without_logs() -> None:
    assert boot_seen(node("inspect wait"), None, over_network=True) is None


def test_virtual_media_boot_shows_its_agent_without_logs() -> None:
    seen = boot_seen(
        node("inspect wait", heard="2026-11-16T06:02:00.123456"), None, over_network=False
    )
    assert seen is not None
    assert seen.agent == datetime(2026, 11, 16, 6, 2, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("heard", "awaited"),
    [(None, True), ("2026-11-16T05:59:59", True), ("2026-11-16T06:00:01", False), ("?", True)],
)
def test_only_a_call_since_then_counts(heard: str | None, *, awaited: bool) -> None:
    assert agent_awaited(node("clean wait", heard=heard)) is awaited


def test_power_change_tells_when_a_boot_began() -> None:
    booting = node("inspect wait", changed="2026-11-16T05:58:07.654321")
    seen = boot_seen(booting, Signs(), over_network=True)
    assert seen is not None
    assert seen.powered_on == datetime(2026, 11, 16, 5, 58, 7, tzinfo=UTC)


def test_step_that_takes_long_is_no_boot() -> None:
    cleaning = node("clean wait", step="erase_devices")
    assert boot_seen(cleaning, Signs(), over_network=True) is None
    assert not agent_awaited(cleaning)


def test_node_that_never_changed_its_state_does_not_boot() -> None:
    assert boot_seen(node("inspect wait", since=None), Signs(), over_network=True) is None
