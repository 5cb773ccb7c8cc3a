"""A BMC keeps its sessions, has its faults, and bears packets that make no sense."""

from __future__ import annotations

import gc
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyghmi.ipmi.private.session import Session

from ingot.lab.bmc.ipmi.session import ServedSession
from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.machine.model import Power
from tests.unit.lab.bmc.ipmi.bench import APP, CHASSIS, HOST, OK, PING, Bench
from tests.unit.lab.bmc.ipmi.client import Client, Refused

# ---------------------------------------------------------------- sessions


def test_closing_another_session_is_refused(bench: Bench) -> None:
    client = bench.admin()
    assert client.ask(APP, 0x3C, b"\1\2\3\4") == (0x87, b"")
    assert bench.bmc.sessions == 1


def test_a_session_in_silence_is_forgotten(bench: Bench) -> None:
    client = bench.admin()
    bench.agenda.pass_time(59)
    assert client.ask(CHASSIS, 1)[0] == OK
    bench.agenda.pass_time(61)
    assert bench.exchange(client.request(CHASSIS, 1)) == []
    assert bench.bmc.sessions == 0


def test_a_log_in_that_is_left_is_forgotten_sooner(bench: Bench) -> None:
    bench.client().open()
    assert bench.bmc.sessions == 1
    bench.agenda.pass_time(21)
    bench.exchange(PING)
    assert bench.bmc.sessions == 0


def test_there_are_only_so_many_sessions(bench: Bench) -> None:
    clients = [bench.admin() for _ in range(32)]
    with pytest.raises(Refused) as caught:
        bench.client().log_in()
    assert (caught.value.step, caught.value.status) == ("open", 0x01)
    clients[7].close()
    bench.admin()


def test_a_cold_reset_logs_everyone_out_and_forgives(bench: Bench) -> None:
    client, other = bench.admin(), bench.admin()
    for _ in range(5):
        with pytest.raises(Refused):
            bench.client(password="wrong").log_in()
    assert client.ask(APP, 0x02) == (OK, b"")
    assert bench.exchange(other.request(CHASSIS, 1)) == []
    bench.admin()


def test_a_warm_reset_keeps_sessions(bench: Bench) -> None:
    client = bench.admin()
    assert client.ask(APP, 0x03) == (OK, b"")
    assert client.ask(CHASSIS, 1)[0] == OK


def test_sessions_leave_nothing_behind(bench: Bench) -> None:
    for number in range(500):
        client = bench.client(suite=(3, 17)[number % 2])
        client.log_in()
        client.ask(CHASSIS, 1)
        client.close()
    with pytest.raises(Refused):
        bench.client(password="wrong").log_in()
    gc.collect()
    assert [thing for thing in gc.get_objects() if isinstance(thing, ServedSession)] == []
    assert not any((Session.bmc_handlers, Session.waiting_sessions, Session.keepalive_sessions))


# ---------------------------------------------------------------- faults


def test_ipmi_loss_loses_every_packet_until_it_is_cleared(bench: Bench) -> None:
    client = bench.admin()
    bench.fault(FaultKind.IPMI_LOSS)
    assert bench.exchange(PING) == []
    assert bench.exchange(client.request(CHASSIS, 2, b"\1")) == []
    assert bench.driver.power(HOST) is Power.OFF
    bench.book.clear(HOST)
    assert client.ask(CHASSIS, 2, b"\1")[0] == OK


@pytest.mark.parametrize("seed", range(3))
def test_ipmi_loss_loses_the_same_packets_with_the_same_seed(bench: Bench, seed: int) -> None:
    def heard() -> list[bool]:
        bench.fault(FaultKind.IPMI_LOSS, rate=0.3, seed=seed)
        return [bool(bench.exchange(PING)) for _ in range(100)]

    first = heard()
    assert first == heard()
    assert 50 < sum(first) < 90


def test_ipmi_frozen_answers_nobody_until_it_is_cleared(bench: Bench) -> None:
    client = bench.admin()
    bench.fault(FaultKind.IPMI_FROZEN, after=2)
    assert client.ask(CHASSIS, 1)[0] == OK
    assert client.ask(CHASSIS, 1)[0] == OK
    for _ in range(3):
        assert bench.exchange(client.request(CHASSIS, 1)) == []
        assert bench.exchange(PING) == []
    assert bench.exchange(client.request(APP, 0x02)) == []  # Nor can a reset get through.
    bench.book.clear(HOST, FaultKind.IPMI_FROZEN)
    assert client.ask(CHASSIS, 1)[0] == OK


def test_ipmi_frozen_ends_with_a_reset_from_elsewhere(bench: Bench) -> None:
    client = bench.admin()
    bench.fault(FaultKind.IPMI_FROZEN)
    assert bench.exchange(client.request(CHASSIS, 1)) == []
    bench.bmc.reset()
    assert bench.exchange(client.request(CHASSIS, 1)) == []  # It knows no session from before.
    bench.admin()


def test_ipmi_frozen_that_is_set_again_begins_anew(bench: Bench) -> None:
    bench.fault(FaultKind.IPMI_FROZEN)
    assert bench.exchange(PING) == []
    bench.fault(FaultKind.IPMI_FROZEN, after=1)
    assert len(bench.exchange(PING)) == 1
    assert bench.exchange(PING) == []


def test_another_fault_does_not_wake_a_frozen_bmc(bench: Bench) -> None:
    bench.fault(FaultKind.IPMI_FROZEN)
    assert bench.exchange(PING) == []
    bench.fault(FaultKind.POWER_LATE)
    bench.book.clear(HOST, FaultKind.POWER_LATE)
    assert bench.exchange(PING) == []


# ---------------------------------------------------------------- nonsense


@given(packet=st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_nonsense_is_not_answered(tmp_path_factory: pytest.TempPathFactory, packet: bytes) -> None:
    bench = Bench(FaultBook(tmp_path_factory.mktemp("lab") / "faults.json"))
    for start in (b"", b"\6\0\xff\7", b"\6\0\xff\7\6", b"\6\0\xff\7\0", b"\6\0\xff\6"):
        bench.exchange(start + packet)


def test_damaged_packets_of_a_whole_conversation_do_no_harm(bench: Bench) -> None:
    random = Random(785)  # noqa: S311 - the same damage in each run
    said: list[bytes] = []

    def exchange(packet: bytes) -> list[bytes]:
        said.append(packet)
        return bench.exchange(packet)

    client = Client(exchange)
    client.log_in()
    client.ask(APP, 0x3B, b"\4")
    client.ask(CHASSIS, 8, b"\5\x80\4\0\0\0")
    client.ask(CHASSIS, 9, b"\5\0\0")
    for _ in range(3000):
        packet = bytearray(random.choice(said))
        for _ in range(random.randint(1, 4)):
            packet[random.randrange(4, len(packet))] = random.randrange(256)
        bench.exchange(bytes(packet[: random.randint(1, len(packet))]))
        bench.agenda.pass_time(1)
    bench.agenda.pass_time(61)
    bench.admin()
    assert bench.driver.power(HOST) is Power.OFF


@pytest.mark.parametrize("length", [0, 1, 5, 15])
def test_a_protected_packet_with_almost_nothing_in_it_is_not_answered(
    bench: Bench, length: int
) -> None:
    client = bench.admin()
    assert bench.exchange(client.request(CHASSIS, 1)[: 16 + length]) == []
    assert client.ask(CHASSIS, 1)[0] == OK
