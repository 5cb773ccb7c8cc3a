"""What anyone may ask a BMC, and how one logs in, or does not."""

from __future__ import annotations

import pytest

from ingot.machine.model import Power
from tests.unit.lab.bmc.ipmi.bench import APP, CHASSIS, HOST, OK, PING, Bench
from tests.unit.lab.bmc.ipmi.client import Client, Refused, message, packet_15, packet_20

# ---------------------------------------------------------------- before a log-in


def test_a_ping_is_answered_under_its_number(bench: Bench) -> None:
    (pong,) = bench.exchange(PING)
    assert pong[:8] == PING[:8]
    assert pong[8:12] == bytes([0x40, 7, 0, 16])
    assert pong[20] & 0x80  # IPMI is spoken here.
    assert len(pong) == 28


@pytest.mark.parametrize("pack", [packet_15, lambda content: packet_20(0, content)])
def test_anyone_may_ask_how_to_log_in(bench: Bench, pack: object) -> None:
    assert callable(pack)
    (answer,) = bench.exchange(pack(message(APP, 0x38, b"\x8e\4", number=5)))
    content = answer[14:] if answer[4] == 0 else answer[16:]
    assert content[:2] == bytes([0x81, (APP + 1) << 2])
    assert content[4] >> 2 == 5
    assert content[6:9] == bytes([OK, 1, 0x80])
    assert sum(content[3:]) & 0xFF == 0


def test_anyone_may_ask_for_the_cipher_suites(bench: Bench) -> None:
    listed = b""
    for part in range(3):
        (answer,) = bench.exchange(packet_20(0, message(APP, 0x54, bytes([0xE, 0, 0x80 | part]))))
        listed += answer[16 + 8 : -1]
    assert listed.hex(" ") == "c0 03 01 41 81 c0 11 03 44 81"


def test_nobody_is_told_the_power_state_before_a_log_in(bench: Bench) -> None:
    assert bench.exchange(packet_15(message(CHASSIS, 1))) == []
    assert bench.exchange(packet_20(0, message(CHASSIS, 1))) == []


# ---------------------------------------------------------------- log-in


@pytest.mark.parametrize("suite", [3, 17])
def test_the_right_password_opens_a_session(bench: Bench, suite: int) -> None:
    client = bench.client(suite=suite)
    client.log_in()
    assert client.ask(APP, 0x01)[0] == OK
    assert client.close() == (OK, b"")
    assert bench.bmc.sessions == 0


@pytest.mark.parametrize(
    ("details", "step", "status"),
    [
        pytest.param({"password": "wrong"}, "rakp4", 0x0F, id="password"),
        pytest.param({"username": "root"}, "rakp2", 0x0D, id="name"),
        pytest.param({"username": ""}, "rakp2", 0x0D, id="no-name"),
        pytest.param({"role": 5}, "rakp2", 0x09, id="role"),
        pytest.param({"suite": 1}, "open", 0x11, id="ciphers"),
    ],
)
def test_a_wrong_log_in_is_refused_at_once(
    bench: Bench, details: dict[str, object], step: str, status: int
) -> None:
    with pytest.raises(Refused) as caught:
        bench.client(**details).log_in()
    assert (caught.value.step, caught.value.status) == (step, status)
    assert bench.bmc.sessions == 0


def test_too_many_wrong_log_ins_lock_the_right_ones_out_for_a_while(bench: Bench) -> None:
    for _ in range(5):
        with pytest.raises(Refused):
            bench.client(password="wrong").log_in()
    with pytest.raises(Refused) as caught:
        bench.client().log_in()
    assert (caught.value.step, caught.value.status) == ("rakp2", 0x0D)
    bench.agenda.pass_time(61)
    bench.client().log_in()


def test_a_log_in_that_is_left_without_a_word_counts_as_wrong(bench: Bench) -> None:
    def leave() -> Client:
        client = bench.client()
        client.rakp1()
        return client

    left = [leave() for _ in range(5)]
    bench.client().log_in()  # They may still be at it.
    bench.agenda.pass_time(2)
    with pytest.raises(Refused) as caught:
        bench.client().log_in()
    assert (caught.value.step, caught.value.status) == ("rakp2", 0x0D)
    left[0].rakp3()  # This one was only late.
    bench.client().log_in()


def test_a_right_log_in_forgives_wrong_ones(bench: Bench) -> None:
    for _ in range(3):
        for _ in range(4):
            with pytest.raises(Refused):
                bench.client(password="wrong").log_in()
        bench.client().log_in()


def test_a_client_whose_welcome_was_lost_gets_it_again(bench: Bench) -> None:
    client = bench.client()
    client.log_in()
    (again,) = bench.exchange(client.last)
    assert again[5] == 0x15
    assert again[17] == OK
    assert client.ask(APP, 0x01)[0] == OK


def test_a_session_belongs_to_its_client_alone(bench: Bench) -> None:
    client = bench.admin()
    assert bench.exchange(client.request(CHASSIS, 1), peer=("192.0.2.2", 40000)) == []


def test_a_packet_that_was_tampered_with_is_not_answered(bench: Bench) -> None:
    client = bench.admin()
    packet = bytearray(client.request(CHASSIS, 2, b"\1"))
    packet[40] ^= 1
    assert bench.exchange(bytes(packet)) == []
    assert bench.driver.power(HOST) is Power.OFF
