"""Switching servers off while somebody switches them on again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.bmc.address import parse
from ingot.bmc.live.access import BmcAccess
from ingot.installer.serverpower import Server, SwitchedOff, switch_all_off
from ingot.machine.model import Power
from tests.integration.lab.redfish_bench import FIRST, PASSWORD, SECOND, USER, Bench, bench


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def server(rack: Bench, name: str) -> Server:
    where = rack.url(name, rack.system_path(name)).replace("https", "redfish", 1)
    return Server(
        name,
        BmcAccess(address=parse(where), username=USER, password=PASSWORD, verify=False),
    )


def test_a_server_that_the_cluster_switched_on_again_is_switched_off_again(rack: Bench) -> None:
    for name in (FIRST, SECOND):
        rack.driver.power_on(name)
    told: list[tuple[str, bool]] = []

    def meddle(name: str, outcome: SwitchedOff) -> None:
        told.append((name, outcome.was_on))
        if len(told) == 2:  # The operator's last word, before its own server was off.
            rack.driver.power_on(FIRST)

    outcomes = switch_all_off([server(rack, name) for name in (FIRST, SECOND)], on_off=meddle)
    assert rack.driver.power(FIRST) is Power.OFF
    assert rack.driver.power(SECOND) is Power.OFF
    assert sorted(told[:2]) == [(FIRST, True), (SECOND, True)]
    assert told[2:] == [(FIRST, True)]
    assert [one.failed for one in outcomes.values()] == ["", ""]


def test_where_there_are_no_servers_nothing_is_done() -> None:
    assert switch_all_off([]) == {}
