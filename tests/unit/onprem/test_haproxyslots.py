from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.onprem.haproxy import API, SLOTS, haproxy_of
from ingot.onprem.haproxyslots import Slot, SlotState, commands, read_slots, ready_count
from ingot.onprem.problem import BadAnswerError
from tests.unit.onprem.situations import V4, V6, cluster, situation

HEAD = "# pxname,svname,scur,status,check_status,addr,\n"
SOCKET = Path("/run/ingot/haproxy.sock")
HOSTS = [ip_address(f"10.9.0.{number}") for number in range(1, 12)]


def slot(number: int, address: str, state: SlotState, sessions: int = 0) -> Slot:
    return Slot(name=f"api{number}", address=address, state=state, ready=False, sessions=sessions)


def obeyed(slots: tuple[Slot, ...], said: tuple[str, ...]) -> tuple[Slot, ...]:
    """Return the slots after haproxy was told something; sessions go on while it drains."""
    held = {one.name: one for one in slots}
    for line in said:
        _set, _server, where, what, value, *_port = line.split()
        one = held[where.partition("/")[2]]
        if what == "addr":
            held[one.name] = replace(one, address=value)
        else:
            word = {"ready": "SERVING", "drain": "DRAINING", "maint": "FREE"}[value]
            sessions = 0 if value == "maint" else one.sessions
            held[one.name] = replace(one, state=SlotState[word], sessions=sessions)
    return tuple(held.values())


def test_a_server_is_ready_only_after_haproxy_has_checked_it_itself() -> None:
    rows = [
        "api,FRONTEND,0,OPEN,,,",
        "api,api1,3,UP,L7OK,10.9.0.11:6443,",
        "api,api2,0,UP,INI,10.9.0.12:6443,",
        "api,api3,0,UP 1/2,* L7OK,[fd09::13]:6443,",
        "api,api4,0,DOWN,L4CON,10.9.0.14:6443,",
        "api,api5,2,DRAIN,L7OK,10.9.0.15:6443,",
        "api,api6,0,MAINT,,0.0.0.0:6443,",
        "config,config1,0,UP,L7OK,10.9.0.11:22623,",
    ]
    slots = read_slots(HEAD + "\n".join(rows), "api")
    assert [one.ready for one in slots] == [True, False, True, False, False, False]
    assert [one.state.value for one in slots][-3:] == ["serving", "draining", "free"]
    assert (slots[2].address, slots[0].sessions) == ("fd09::13", 3)
    assert ready_count(slots) == 2


@pytest.mark.parametrize("text", ["", "Unknown command", HEAD, HEAD + "api,api1,x,UP,,a:1,"])
def test_an_answer_that_is_no_statistics_is_an_error(text: str) -> None:
    with pytest.raises(BadAnswerError):
        read_slots(text, "api")


def test_servers_that_stay_are_not_touched() -> None:
    slots = (
        slot(1, "10.9.0.1", SlotState.SERVING, 9),
        slot(2, "0.0.0.0", SlotState.FREE),  # noqa: S104 - a spare slot
    )
    assert commands(API, slots, HOSTS[:1]) == ()
    assert commands(API, slots, HOSTS[:2]) == (
        "set server api/api2 state maint",
        "set server api/api2 addr 10.9.0.2 port 6443",
        "set server api/api2 state ready",
    )


def test_a_server_that_goes_is_drained_and_one_that_returns_is_taken_back() -> None:
    busy = slot(1, "10.9.0.1", SlotState.SERVING, 2)
    (said,) = commands(API, (busy,), [])
    assert said == "set server api/api1 state drain"
    draining = obeyed((busy,), (said,))
    assert commands(API, draining, []) == ()
    assert commands(API, draining, HOSTS[:1]) == ("set server api/api1 state ready",)


@given(
    st.lists(
        st.tuples(st.sampled_from(HOSTS), st.sampled_from(SlotState), st.integers(0, 3)),
        min_size=SLOTS,
        max_size=SLOTS,
        unique_by=lambda one: one[0] if one[1] is not SlotState.FREE else object(),
    ),
    st.sets(st.sampled_from(HOSTS), max_size=5),
)
def test_whatever_the_slots_hold_they_come_to_serve_exactly_what_is_wanted(
    held: list[tuple[object, SlotState, int]], wanted: set[object]
) -> None:
    addresses = [one for one in HOSTS if one in wanted]
    slots = tuple(
        slot(number, str(address), state, 0 if state is SlotState.FREE else sessions)
        for number, (address, state, sessions) in enumerate(held, start=1)
    )
    kept = {
        one.address: one.name
        for one in slots
        if one.state is SlotState.SERVING and one.address in map(str, addresses)
    }
    done = obeyed(slots, commands(API, slots, addresses))
    serving = {one.address: one.name for one in done if one.state is SlotState.SERVING}
    assert sorted(serving) == sorted(map(str, addresses))
    assert kept.items() <= serving.items()


def test_the_file_holds_the_known_backends_and_spare_slots() -> None:
    rendered = haproxy_of(situation("master-0"), socket=SOCKET)
    assert rendered is not None
    text = rendered.render()
    assert "    server api2 10.9.0.12:6443\n" in text
    assert f"    server-template api 4-{SLOTS} 0.0.0.0:6443 disabled\n" in text
    assert "    server config3 10.9.0.13:22623\n" in text


def test_backends_are_of_the_family_of_the_first_vip() -> None:
    rendered = haproxy_of(situation("master-0", V6, V4), socket=SOCKET)
    assert rendered is not None
    assert "    server api1 [fd09::11]:6443\n" in rendered.render()


def test_only_the_control_plane_has_a_balancer_and_only_without_the_users() -> None:
    assert haproxy_of(situation("worker-0"), socket=SOCKET) is None
    assert haproxy_of(situation("bootstrap"), socket=SOCKET) is None
    assert haproxy_of(situation("master-0", of=cluster(managed=False)), socket=SOCKET) is None
