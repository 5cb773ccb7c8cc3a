"""What a BMC does for those who are logged in."""

from __future__ import annotations

import pytest

from ingot.lab.chassis import PowerAction
from ingot.machine.driver import MachineError
from ingot.machine.model import BootSource, Power
from tests.unit.lab.bmc.ipmi.bench import (
    APP,
    CHASSIS,
    HOST,
    INVALID_COMMAND,
    INVALID_FIELD,
    OK,
    STORAGE,
    WRONG_LENGTH,
    Bench,
)


def test_a_new_session_may_look_but_not_touch(bench: Bench) -> None:
    client = bench.client()
    client.log_in()
    assert client.ask(CHASSIS, 1)[0] == OK
    assert client.ask(CHASSIS, 2, b"\1")[0] == 0xD4
    assert client.ask(APP, 0x3B, b"\0") == (OK, b"\2")


def test_a_session_gets_no_more_than_it_logged_in_for(bench: Bench) -> None:
    client = bench.client(role=3)
    client.log_in()
    assert client.ask(APP, 0x3B, b"\4") == (0x81, b"")
    assert client.ask(APP, 0x3B, b"\3") == (OK, b"\3")
    assert client.ask(APP, 0x02)[0] == 0xD4


@pytest.mark.parametrize(
    ("number", "before", "after"),
    [
        (0, Power.ON, Power.OFF),
        (1, Power.OFF, Power.ON),
        (2, Power.ON, Power.ON),
        (3, Power.ON, Power.ON),
        (5, Power.ON, Power.OFF),
    ],
)
def test_chassis_control_acts_on_the_host(
    bench: Bench, number: int, before: Power, after: Power
) -> None:
    bench.driver.all[HOST].power = before
    client = bench.admin()
    assert client.ask(CHASSIS, 2, bytes([number])) == (OK, b"")
    assert client.ask(CHASSIS, 1)[1][0] == (after is Power.ON)


@pytest.mark.parametrize(
    ("function", "command", "data", "code"),
    [
        pytest.param(CHASSIS, 2, b"\4", INVALID_FIELD, id="interrupt-not-there"),
        pytest.param(CHASSIS, 2, b"\x0e", INVALID_FIELD, id="unknown-action"),
        pytest.param(CHASSIS, 2, b"", WRONG_LENGTH, id="no-action"),
        pytest.param(CHASSIS, 8, b"\5\x80\x3c", INVALID_FIELD, id="unknown-boot-device"),
        pytest.param(CHASSIS, 8, b"\x60", 0x80, id="set-unknown-option"),
        pytest.param(CHASSIS, 9, b"\x60\0\0", 0x80, id="get-unknown-option"),
        pytest.param(CHASSIS, 9, b"\5", WRONG_LENGTH, id="short"),
        pytest.param(APP, 0x48, b"\1\1\0\0\0\0", INVALID_COMMAND, id="serial-over-lan"),
        pytest.param(0x2C, 0x00, b"\0", INVALID_COMMAND, id="picmg"),
        pytest.param(STORAGE, 0x23, b"\0\0\2\0\0\xff", 0xCB, id="no-such-sensor"),
    ],
)
def test_what_cannot_be_done_has_its_completion_code(
    bench: Bench, function: int, command: int, data: bytes, code: int
) -> None:
    assert bench.admin().ask(function, command, data) == (code, b"")


def test_a_host_that_fails_is_an_unspecified_error(bench: Bench) -> None:
    bench.driver.fails = MachineError("no memory left")
    assert bench.admin().ask(CHASSIS, 2, b"\1") == (0xFF, b"")


def test_other_boot_options_are_kept_as_they_were_sent(bench: Bench) -> None:
    client = bench.admin()
    assert client.ask(CHASSIS, 9, b"\3\0\0") == (OK, b"\1\3\0")
    assert client.ask(CHASSIS, 8, b"\3\x1f") == (OK, b"")
    assert client.ask(CHASSIS, 9, b"\3\0\0") == (OK, b"\1\3\x1f")
    assert client.ask(CHASSIS, 8, b"\0\1") == (OK, b"")
    assert client.ask(CHASSIS, 9, b"\0\0\0") == (OK, b"\1\0\1")
    assert client.ask(CHASSIS, 8, b"\0\2") == (OK, b"")
    assert client.ask(CHASSIS, 9, b"\0\0\0") == (OK, b"\1\0\0")


def test_boot_settings_from_elsewhere_are_seen(bench: Bench) -> None:
    bench.chassis.set_boot_once(BootSource.MEDIA)
    assert bench.admin().ask(CHASSIS, 9, b"\5\0\0")[1].hex(" ") == "01 05 80 14 00 00 00"


@pytest.mark.parametrize(
    ("data", "after_14", "after_16"),
    [(b"", 0x60, 0x40), (b"\x0f", 0x60, 0x40), (b"\0\1", 0x60, 0x60), (b"\0", 0x40, 0x40)],
)
def test_the_light_is_on_for_as_long_as_it_was_asked_for(
    bench: Bench, data: bytes, after_14: int, after_16: int
) -> None:
    client = bench.admin()
    assert client.ask(CHASSIS, 4, data)[0] == OK
    bench.agenda.pass_time(14)
    assert client.ask(CHASSIS, 1)[1][2] == after_14
    bench.agenda.pass_time(2)
    assert client.ask(CHASSIS, 1)[1][2] == after_16


def test_a_request_that_is_repeated_is_answered_again_and_done_once(bench: Bench) -> None:
    client = bench.admin()
    bench.chassis.act(PowerAction.ON)
    assert client.ask(CHASSIS, 2, b"\3") == (OK, b"")
    for _ in range(3):
        assert client.read(client.one(client.request(CHASSIS, 2, b"\3"))) == (OK, b"")
    assert bench.driver.all[HOST].resets == 1
    assert client.ask(CHASSIS, 2, b"\3") == (OK, b"")
    assert bench.driver.all[HOST].resets == 2
