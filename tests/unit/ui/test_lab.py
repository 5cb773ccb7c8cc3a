"""Tables of a lab: what they show, and that they fit."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console, RenderableType

from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.status import HostStatus, LabStatus
from ingot.lab.words import BmcKind, DriverKind, Role
from ingot.machine.model import Power
from ingot.ui.lab import created, fault_table, kind_table, status_table
from tests.unit.lab.descriptions import planned

HOST = HostStatus(
    name="worker-0",
    role=Role.WORKER,
    driver=DriverKind.UML,
    bmc=BmcKind.REDFISH,
    bmc_address="192.168.151.23",
    address="192.168.111.23",
    power=Power.ON,
    boot="network, once",
    media=None,
    activity="network: iPXE: fetching the kernel",
    console="[  12.345] iPXE: http://172.22.0.2:6180/images/ironic-python-agent.kernel [bold]",
    faults=(),
)


def status(*, running: bool = True, **changes: object) -> LabStatus:
    return LabStatus(
        name="lab",
        running=running,
        directory="/root/clusters/one",
        namespace="ingot-lab",
        api_vip="192.168.111.5",
        hosts=(HOST, HOST.model_copy(update={"name": "worker-1", **changes})),
    )


def shown(what: RenderableType, width: int = 80) -> str:
    stream = StringIO()
    Console(file=stream, width=width).print(what)
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_a_status_fits_a_terminal(width: int) -> None:
    lines = shown(status_table(status()), width).splitlines()
    assert len(lines) == 5
    assert all(len(line) <= width for line in lines)
    assert lines[-1].startswith("worker-1  on     network, once  network:")


def test_a_status_in_a_pipe_is_whole() -> None:
    text = shown(status_table(status(), fill=False), 400)
    assert HOST.activity in text
    assert HOST.console in text  # What looks like markup in it is left as it is.
    assert max(len(line) for line in text.splitlines()) < 200


def test_a_status_names_faults_and_media() -> None:
    text = shown(status_table(status(faults=("no-dhcp", "bmc-slow"), media="agent.iso")), 120)
    assert "faults worker-1: no-dhcp, bmc-slow" in text
    assert "network, once (media in)" in text


def test_a_lab_that_does_not_run_says_what_to_do() -> None:
    assert "ingot lab start" in shown(status_table(status(running=False)))
    assert "ingot lab start" not in shown(status_table(status()))


def test_what_was_made_is_shown_without_passwords() -> None:
    text = shown(created(planned(name="mine"), planned().directory), 120)
    assert "ingot lab status --name mine" in text
    assert "ingot validate --dir /somewhere" in text
    assert "secret" not in text


def test_faults_say_how_they_strike() -> None:
    fault = Fault(
        host="cp-0", kind=FaultKind.BMC_SLOW, rate=0.5, seed=3, times=2, after=1, amount=4
    )
    text = shown(fault_table([fault, Fault(host="cp-0", kind=FaultKind.NIC_SLOW).checked()]), 200)
    assert "4 seconds of delay, rate 0.5, seed 3, after 1, 2 times" in text
    assert "0 of 0" in text
    assert "10 megabits per second" in text


def test_a_fault_that_is_spent_says_so() -> None:
    fault = Fault(host="cp-0", kind=FaultKind.BMC_401, times=1, struck=1, seen=5)
    text = shown(fault_table([fault]), 200)
    assert "spent: 1 times" in text
    assert "1 of 5" in text


def test_kinds_fit_a_terminal() -> None:
    text = shown(kind_table())
    assert all(len(line) <= 80 for line in text.splitlines())
    assert all(kind in text for kind in FaultKind)
