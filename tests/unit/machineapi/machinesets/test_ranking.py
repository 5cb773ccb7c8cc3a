"""Which Machines go when a set shrinks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.machineapi.api.machineset import DeletePolicy
from ingot.machineapi.machinesets.members import Member
from ingot.machineapi.machinesets.ranking import first_to_go

GOOD: dict[str, Any] = {"hosted": True, "linked": True, "ready": True}
MIXED = [
    Member(name="ready-old", created="2026-01-01T00:00:00Z", **GOOD),
    Member(name="ready-new", created="2026-01-02T00:00:00Z", **GOOD),
    Member(name="not-ready", created="2026-01-01T00:00:00Z", hosted=True, linked=True),
    Member(name="no-node", created="2026-01-01T00:00:00Z", hosted=True),
    Member(name="no-host", created="2026-01-01T00:00:00Z"),
    Member(name="failed", created="2026-01-01T00:00:00Z", failed=True, **GOOD),
    Member(name="chosen", created="2026-01-01T00:00:00Z", chosen=True, **GOOD),
]

MEMBERS = st.lists(
    st.builds(
        Member,
        name=st.text("abc", min_size=1, max_size=3),
        created=st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
        going=st.booleans(),
        chosen=st.booleans(),
        failed=st.booleans(),
        hosted=st.booleans(),
        linked=st.booleans(),
        ready=st.booleans(),
    ),
    unique_by=lambda one: one.name,
)


@pytest.mark.parametrize(
    ("policy", "last"),
    [
        (None, ["ready-new", "ready-old"]),
        (DeletePolicy.RANDOM, ["ready-new", "ready-old"]),
        (DeletePolicy.NEWEST, ["ready-new", "ready-old"]),
        (DeletePolicy.OLDEST, ["ready-old", "ready-new"]),
    ],
)
def test_the_chosen_go_first_then_the_useless_and_then_the_policy_decides(
    policy: DeletePolicy | None, last: list[str]
) -> None:
    order = [one.name for one in first_to_go(MIXED, len(MIXED), policy)]
    assert order == ["chosen", "failed", "no-host", "no-node", "not-ready", *last]


def test_one_that_is_going_is_not_counted_again() -> None:
    going = Member(name="going", going=True)
    assert first_to_go([going, Member(name="stays")], 2, None) == (Member(name="stays"),)


@given(MEMBERS, st.integers(-3, 10), st.sampled_from([None, *DeletePolicy]))
def test_never_more_go_than_are_asked_for_and_never_one_twice(
    members: list[Member], count: int, policy: DeletePolicy | None
) -> None:
    going = first_to_go(members, count, policy)
    staying = [one for one in members if not one.going]
    assert len(going) == min(max(0, count), len(staying))
    assert len({one.name for one in going}) == len(going)


@given(MEMBERS, st.integers(0, 10), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_machines_are_listed(
    members: list[Member], count: int, random: st.DataObject
) -> None:
    shuffled = list(members)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis hands a Random out
    assert first_to_go(shuffled, count, None) == first_to_go(members, count, None)
