"""Live access in IPMI, against the lab's real BMCs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.bmc.address import parse
from ingot.bmc.live.access import BmcAccess, Power, connected
from ingot.bmc.live.deadline import begun
from ingot.bmc.live.refusal import BmcUnreachable, WrongCredentials
from ingot.machine.model import Power as MachinePower
from tests.integration.bmc.ipmi_bench import IpmiBench, ipmi_bench
from tests.integration.lab.test_ipmi_bmc import free_port

HOSTS = tuple(f"host-{number}" for number in range(4))
FIRST = HOSTS[0]


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[IpmiBench]:
    with ipmi_bench(tmp_path, *HOSTS) as made:
        yield made


def test_a_server_is_seen_and_switched_off(rack: IpmiBench) -> None:
    rack.driver.power_on(FIRST)
    with connected(rack.access(FIRST)) as bmc:
        assert bmc.power() is Power.ON
        assert bmc.power_off() is True
        assert rack.driver.all[FIRST].power is MachinePower.OFF
        assert bmc.power() is Power.OFF
        assert bmc.power_off() is False
        assert bmc.eject_media() == ()


def test_many_servers_are_switched_off_at_once(rack: IpmiBench) -> None:
    for host in HOSTS:
        rack.driver.power_on(host)

    def off(host: str) -> None:
        with connected(rack.access(host)) as bmc:
            bmc.power_off()

    for future in [begun(lambda host=host: off(host)) for host in HOSTS]:  # type: ignore[misc] # bound at once
        future.result(timeout=60)
    assert {machine.power for machine in rack.driver.all.values()} == {MachinePower.OFF}


def test_wrong_credentials_are_told_and_no_password_is(rack: IpmiBench) -> None:
    wrong = replace(rack.access(FIRST), password="battery-staple")
    with connected(wrong) as bmc, pytest.raises(WrongCredentials) as refused:
        bmc.power()
    assert "battery-staple" not in f"{refused.value}{wrong!r}"


def test_an_unknown_user_is_told(rack: IpmiBench) -> None:
    with (
        connected(replace(rack.access(FIRST), username="nobody")) as bmc,
        pytest.raises(WrongCredentials),
    ):
        bmc.power()


def test_nobody_at_the_address_is_told_in_time() -> None:
    nobody = BmcAccess(
        address=parse(f"ipmi://127.0.0.1:{free_port()}"), username="admin", password="password"
    )
    began = time.monotonic()
    with connected(nobody, seconds=3) as bmc, pytest.raises(BmcUnreachable):
        bmc.power()
    assert time.monotonic() - began < 8
