from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.onprem.joining import QUIET_SECONDS, Joining, may_speak
from ingot.onprem.model import Peer, Role, check_distinct
from ingot.onprem.peers import Peers, from_plan, observe, remembered, to_json
from ingot.onprem.problem import DuplicatePeerError
from tests.unit.onprem.situations import CONTROL_PLANE, peer, peers

PLAN = tuple(peer(name) for name in CONTROL_PLANE)
ALL = peers()


def names(found: Peers) -> list[str]:
    return [one.name for one in found.nodes]


def after(*looks: tuple[Peer, ...] | None, start: Peers | None = None) -> Peers:
    found = start or from_plan(PLAN)
    for look in looks:
        found = observe(found, look)
    return found


def complete() -> Peers:
    return after(ALL)


def test_planned_nodes_are_there_from_the_first_second() -> None:
    assert names(from_plan(PLAN)) == list(CONTROL_PLANE)


def test_planned_nodes_stay_until_all_of_them_were_seen() -> None:
    found = after(*[(peer("master-0"),)] * 50)
    assert names(found) == list(CONTROL_PLANE)
    assert "not yet seen: master-1, master-2" in found.reason


def test_a_planned_node_that_comes_under_another_name_is_not_there_twice() -> None:
    renamed = replace(peer("master-2"), name="rack7")
    found = after((peer("master-0"), peer("master-1"), renamed))
    assert names(found) == ["master-0", "master-1", "rack7"]
    assert not found.planned


@pytest.mark.parametrize("look", [None, (), (peer("worker-0"),)], ids=["away", "empty", "workers"])
def test_on_any_doubt_the_last_good_list_stays(look: tuple[Peer, ...] | None) -> None:
    found = after(*[look] * 20, start=complete())
    assert found.nodes == complete().nodes
    assert "as last known" in found.reason


def test_new_nodes_and_new_addresses_count_at_once() -> None:
    moved = replace(peer("worker-0"), addresses=(ip_address("10.9.0.99"),))
    new = Peer("worker-9", Role.WORKER, (ip_address("10.9.0.98"),))
    found = after((*PLAN, moved, peer("worker-1"), new), start=complete())
    assert found.nodes == (*PLAN, moved, peer("worker-1"), new)


def test_a_missing_node_is_dropped_at_the_third_look_but_knows_at_the_first() -> None:
    without = ALL[:-1]
    once = after(without, start=complete())
    assert "worker-1" in names(once)
    assert not once.is_listed("worker-1")
    assert "worker-1" in names(after(without, without, start=complete()))
    assert "worker-1" not in names(after(without, without, without, start=complete()))


def test_a_node_that_comes_back_is_counted_anew() -> None:
    without = ALL[:-1]
    found = after(without, without, ALL, without, without, start=complete())
    assert "worker-1" in names(found)


def test_a_control_plane_of_several_never_shrinks_to_one() -> None:
    found = after(*[(peer("master-0"), *ALL[3:])] * 20, start=complete())
    assert names(found)[:3] == list(CONTROL_PLANE)


def test_a_node_without_an_address_keeps_the_one_it_had() -> None:
    bare = replace(peer("worker-1"), addresses=())
    assert after((*ALL[:-1], bare), start=complete()).nodes == ALL


def test_a_new_node_without_an_address_waits_for_one() -> None:
    found = after((*ALL, Peer("worker-9", Role.WORKER, ())), start=complete())
    assert found.nodes == ALL


def test_a_list_with_two_nodes_at_one_address_is_not_believed() -> None:
    twice = replace(peer("worker-0"), name="twin")
    found = after((*ALL, twice), start=complete())
    assert found.nodes == ALL
    assert "10.9.0.21 belongs to more than one node" in found.reason


def test_a_plan_with_duplicates_is_an_error() -> None:
    with pytest.raises(DuplicatePeerError):
        from_plan((*PLAN, replace(peer("master-0"), name="twin")))


def test_what_was_written_down_is_what_a_restart_begins_with() -> None:
    halfway = after((peer("master-0"), peer("worker-0")))
    again = remembered(to_json(halfway), PLAN)
    assert again.nodes == halfway.nodes
    assert again.planned == halfway.planned
    assert again.seen == halfway.seen


@pytest.mark.parametrize(
    "text", [None, "", "{", "[]", "{}", '{"nodes": [], "planned": [], "seen": []}', '{"nodes": 3}']
)
def test_what_cannot_be_read_is_replaced_by_the_plan(text: str | None) -> None:
    assert remembered(text, PLAN) == from_plan(PLAN)


NODE = st.builds(
    Peer,
    name=st.sampled_from([*CONTROL_PLANE, "worker-0", "worker-1"]),
    role=st.sampled_from([Role.CONTROL_PLANE, Role.WORKER]),
    addresses=st.one_of(
        st.just(()),
        st.integers(1, 8).map(lambda host: (ip_address(f"10.9.0.{host}"),)),
    ),
)
LOOK = st.one_of(st.none(), st.lists(NODE, unique_by=lambda node: node.name, max_size=5).map(tuple))


@given(st.lists(LOOK, max_size=25))
def test_whatever_is_seen_the_list_is_whole(looks: list[tuple[Peer, ...] | None]) -> None:
    found = from_plan(PLAN)
    for look in looks:
        found = observe(found, look)
        check_distinct(found.nodes)
        assert all(node.addresses for node in found.nodes)
        assert sum(node.role is Role.CONTROL_PLANE for node in found.nodes) >= 2
        assert found.reason


@pytest.mark.parametrize(
    ("planned", "heard", "known", "answered", "quiet", "expected"),
    [
        (True, False, False, True, 0.0, True),
        (False, True, False, True, 0.0, True),
        (False, False, True, True, 0.0, True),
        (False, False, False, True, 1000.0, False),
        (False, False, False, False, QUIET_SECONDS - 1, False),
        (False, False, False, False, QUIET_SECONDS, True),
    ],
)
def test_a_newcomer_speaks_only_when_listed_or_when_nobody_holds_the_vip(
    *, planned: bool, heard: bool, known: bool, answered: bool, quiet: float, expected: bool
) -> None:
    seen = Joining(planned=planned, heard=heard, known=known, answered=answered, quiet=quiet)
    assert may_speak(seen)[0] is expected
