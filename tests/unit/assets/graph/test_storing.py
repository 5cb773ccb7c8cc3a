"""The state as a file: whole, or known not to be."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.assets.graph.files import Digest
from ingot.assets.graph.state import ABSENT, Record, State
from ingot.assets.graph.storing import NewerState, StateDamaged, decoded, encoded

STATE = State(
    records={"key": Record(Digest("12"), {"tls/ca.key": bytes(range(256))})},
    left={"tls/ca.key": frozenset({Digest("34"), ABSENT})},
    used={"key": {"tls/ca.key": Digest("34")}},
    config="name: ü\n".encode(),
    fields={"metadata.name": Digest("56")},
)


def test_what_is_kept_is_what_was_there() -> None:
    assert decoded(encoded(STATE)) == STATE
    assert decoded(encoded(State())) == State()


@given(st.integers(0, len(encoded(STATE)) - 2))
def test_half_a_state_is_noticed(size: int) -> None:
    with pytest.raises(StateDamaged):
        decoded(encoded(STATE)[:size])


@given(st.integers(0, len(encoded(STATE)) - 2), st.binary(min_size=1, max_size=4))
def test_a_changed_state_is_noticed(place: int, other: bytes) -> None:
    whole = encoded(STATE)
    changed = whole[:place] + other + whole[place + len(other) :]
    try:
        assert decoded(changed) == STATE
    except (StateDamaged, NewerState):
        assert changed != whole


def test_a_state_of_a_later_version_is_told_from_a_damaged_one() -> None:
    head = json.dumps({"format": 2, "sha256": "?"}).encode()
    with pytest.raises(NewerState, match="format 2"):
        decoded(head + b"\n{}\n")
