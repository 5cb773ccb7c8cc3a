"""Logging in at BMCs before anything is made, against the lab's real BMCs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.bmc.address import parse
from ingot.bmc.live.access import BmcAccess
from ingot.bmc.live.refusal import BmcUnreachable, WrongCredentials
from ingot.errors import ExitCode
from ingot.installer import bmcchecks
from ingot.installer.bmcchecks import BmcsUnusable, check_servers
from ingot.installer.serverpower import Server
from ingot.lab.faults.kind import FaultKind
from ingot.machine.model import Power
from tests.integration.bmc.ipmi_bench import ipmi_bench
from tests.integration.lab.redfish_bench import FIRST, PASSWORD, SECOND, USER, Bench, bench


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bmcchecks, "PAUSE_SECONDS", 0.1)
    monkeypatch.setattr(bmcchecks, "TELL_SECONDS", 0.05)


def server(rack: Bench, name: str, *, password: str = PASSWORD) -> Server:
    where = rack.url(name, rack.system_path(name)).replace("https", "redfish", 1)
    access = BmcAccess(address=parse(where), username=USER, password=password, verify=False)
    return Server(name, access)


def refused(servers: list[Server], *, patience: float = 60) -> BmcsUnusable:
    with pytest.raises(BmcsUnusable) as caught:
        check_servers(servers, lambda _: None, patience=patience)
    return caught.value


def test_right_credentials_let_us_in_and_nothing_is_switched(rack: Bench) -> None:
    rack.driver.power_on(FIRST)
    assert check_servers([server(rack, FIRST), server(rack, SECOND)], lambda _: None) == ()
    assert rack.driver.power(FIRST) is Power.ON
    assert rack.driver.power(SECOND) is Power.OFF


def test_every_server_that_refuses_is_named_in_one_error(rack: Bench) -> None:
    error = refused([server(rack, name, password="wrong") for name in (FIRST, SECOND)])
    assert error.exit_code is ExitCode.INFRASTRUCTURE
    assert {type(one) for one in error.why.values()} == {WrongCredentials}
    assert f"host {FIRST}: " in error.what
    assert f"host {SECOND}: " in error.what
    assert "bmc.password" in error.remedy
    assert "wrong" not in error.what


def test_who_is_let_in_is_not_named(rack: Bench) -> None:
    error = refused([server(rack, FIRST), server(rack, SECOND, password="wrong")])
    assert list(error.why) == [SECOND]


def test_a_bmc_that_refuses_the_right_password_once_is_asked_again(rack: Bench) -> None:
    rack.set(FaultKind.BMC_401, times=1)
    check_servers([server(rack, FIRST)], lambda _: None)


def test_a_bmc_that_cannot_now_is_asked_again_and_that_is_told(rack: Bench) -> None:
    rack.set(FaultKind.BMC_503)
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if "503" in text:
            rack.faults.clear(FIRST)

    (overcome,) = check_servers([server(rack, FIRST)], say, patience=60)
    assert overcome.startswith(f"host {FIRST}: ")
    assert "503" in overcome
    assert any(text.startswith(f"asking again: {FIRST}: ") for text in said)


def test_a_bmc_that_stays_silent_is_named_in_the_end(rack: Bench) -> None:
    rack.set(FaultKind.BMC_503)
    error = refused([server(rack, FIRST), server(rack, SECOND)], patience=1)
    assert list(error.why) == [FIRST]
    assert isinstance(error.why[FIRST], BmcUnreachable)
    assert "503" in error.what


def test_nobody_waits_for_the_silent_when_another_has_refused(rack: Bench) -> None:
    rack.set(FaultKind.BMC_503)
    error = refused([server(rack, FIRST), server(rack, SECOND, password="wrong")], patience=3600)
    assert sorted(error.why) == [FIRST, SECOND]


def test_a_wrong_password_is_known_by_ipmi_too(tmp_path: Path) -> None:
    with ipmi_bench(tmp_path, "old") as site:
        access = replace(site.access("old"), password="wrong")
        error = refused([Server("old", access)])
    assert isinstance(error.why["old"], WrongCredentials)
