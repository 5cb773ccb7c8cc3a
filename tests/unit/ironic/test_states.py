"""What may be concluded from a state."""

from __future__ import annotations

import pytest

from ingot.ironic.states import PowerState, ProvisionState

KINDS = ("is_stable", "is_transient", "is_hold", "is_failed")


@pytest.mark.parametrize("state", sorted(set(ProvisionState) - {ProvisionState.UNKNOWN}))
def test_every_state_is_of_exactly_one_kind(state: ProvisionState) -> None:
    assert len([kind for kind in KINDS if getattr(state, kind)]) == 1
    assert ProvisionState.read(state.value) is state


@pytest.mark.parametrize("text", ["a state of tomorrow", "", None, "deleted"])
def test_nothing_is_concluded_from_a_state_without_a_name(text: str | None) -> None:
    state = ProvisionState.read(text)
    assert state is ProvisionState.UNKNOWN
    assert not any(getattr(state, kind) for kind in (*KINDS, "is_wait"))


def test_waiting_is_a_kind_of_moving_on() -> None:
    assert all(state.is_transient for state in ProvisionState if state.is_wait)
    assert not ProvisionState.DEPLOYING.is_wait


@pytest.mark.parametrize(
    ("text", "state"),
    [("power on", PowerState.ON), ("power off", PowerState.OFF), (None, PowerState.UNKNOWN)],
)
def test_power_is_read(text: str | None, state: PowerState) -> None:
    assert PowerState.read(text) is state
