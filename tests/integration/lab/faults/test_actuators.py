"""Faults that are set in the book take effect on the hosts, at the occasions they are meant for."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingot.lab.faults.actuators import Actuators
from ingot.lab.faults.availability import FaultNotAvailable
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.lab.plan import DriverKind
from ingot.machine.home import Home
from ingot.machine.uml.shim.file import SETTINGS
from tests.integration.lab.faults.bench import (
    DHCP_PORT,
    END,
    PORT,
    Bench,
    entered,
    opened_bench,
)
from tests.integration.lab.faults.plans import lab_plan, no_libvirt

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")


@pytest.fixture
def bench() -> Iterator[Bench]:
    with opened_bench("firmware") as opened:
        yield opened


@pytest.fixture
def book(tmp_path: Path) -> FaultBook:
    return FaultBook(tmp_path / "faults.json")


@contextmanager
def daemon(bench: Bench, book: FaultBook, machines: Path) -> Iterator[Actuators]:
    """Run actuators as a lab's daemon does, on the lab's network."""
    (machines / "a").mkdir(exist_ok=True)
    with entered(bench.namespace):
        actuators = Actuators(lab_plan(ports=(PORT,)), book, machines, virsh=no_libvirt)
        actuators.start()
        try:
            yield actuators
        finally:
            actuators.stop()


def dhcp_is_heard(bench: Bench) -> bool:
    bench.send_from_host(b"discover", DHCP_PORT)
    bench.send_from_host(END)
    bench.arrived_at_lab()  # Whatever was sent before has arrived by now, or never will.
    try:
        return bench.dhcp.recv(100, socket.MSG_DONTWAIT) == b"discover"
    except BlockingIOError:
        return False


def clock_offset(machines: Path) -> int:
    content = Home(machines / "a").faults.read_bytes()
    return int(SETTINGS.unpack_from(content)[5])


def test_no_dhcp_lasts_for_as_many_boots_as_asked_for(
    bench: Bench, book: FaultBook, tmp_path: Path
) -> None:
    with daemon(bench, book, tmp_path) as actuators:
        book.set(Fault(host="a", kind=FaultKind.NO_DHCP, times=2, after=1))
        heard = [dhcp_is_heard(bench)]
        for _ in range(4):
            actuators.on_power_on("a")
            heard += [dhcp_is_heard(bench), dhcp_is_heard(bench)]
    assert heard == [True, True, True, False, False, False, False, True, True]


def test_no_dhcp_is_over_when_it_is_cleared_in_the_middle_of_a_boot(
    bench: Bench, book: FaultBook, tmp_path: Path
) -> None:
    with daemon(bench, book, tmp_path) as actuators:
        book.set(Fault(host="a", kind=FaultKind.NO_DHCP))
        actuators.on_power_on("a")
        assert not dhcp_is_heard(bench)
        book.clear("a")
        assert dhcp_is_heard(bench)


def test_faults_stay_when_the_daemon_starts_over_and_can_be_cleared_then(
    bench: Bench, book: FaultBook, tmp_path: Path
) -> None:
    before = bench.state()
    with daemon(bench, book, tmp_path) as actuators:
        for kind in (FaultKind.NO_DHCP, FaultKind.NIC_SLOW, FaultKind.CLOCK_WRONG):
            book.set(Fault(host="a", kind=kind))
        actuators.on_power_on("a")
    assert not dhcp_is_heard(bench)
    again = FaultBook(tmp_path / "faults.json")
    with daemon(bench, again, tmp_path):
        assert not dhcp_is_heard(bench)
        assert clock_offset(tmp_path) == -8 * 3600
        again.clear("a")
        assert dhcp_is_heard(bench)
        assert clock_offset(tmp_path) == 0
    assert bench.state() == before


def test_what_was_cleared_while_there_was_no_daemon_is_gone_when_it_starts(
    bench: Bench, book: FaultBook, tmp_path: Path
) -> None:
    before = bench.state()
    with daemon(bench, book, tmp_path):
        book.set(Fault(host="a", kind=FaultKind.NIC_SLOW))
        book.set(Fault(host="a", kind=FaultKind.NIC_LOSSY))
    FaultBook(tmp_path / "faults.json").clear("a")
    with daemon(bench, FaultBook(tmp_path / "faults.json"), tmp_path):
        assert bench.state() == before


def test_clock_wrong_counts_each_power_on(bench: Bench, book: FaultBook, tmp_path: Path) -> None:
    with daemon(bench, book, tmp_path) as actuators:
        book.set(Fault(host="a", kind=FaultKind.CLOCK_WRONG, amount=3, times=1))
        seen = [clock_offset(tmp_path)]
        for _ in range(2):
            actuators.on_power_on("a")
            seen.append(clock_offset(tmp_path))
    assert seen == [0, 3 * 3600, 0]


def test_a_host_without_faults_costs_no_command_at_power_on(
    bench: Bench, book: FaultBook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with daemon(bench, book, tmp_path) as actuators:
        monkeypatch.setenv("PATH", "/nowhere")
        monkeypatch.setattr(subprocess, "Popen", None)
        actuators.on_power_on("a")
    assert Home(tmp_path / "a").faults.exists()


def test_hosts_and_faults_of_no_concern_are_passed_over(
    bench: Bench, book: FaultBook, tmp_path: Path
) -> None:
    before = bench.state()
    with daemon(bench, book, tmp_path) as actuators:
        book.set(Fault(host="a", kind=FaultKind.BMC_500))
        book.set(Fault(host="nobody", kind=FaultKind.NIC_SLOW))
        actuators.on_power_on("nobody")
        assert bench.state() == before


@pytest.mark.parametrize("kind", [FaultKind.DISK_ERRORS, FaultKind.CPU_STARVED])
def test_what_a_libvirt_host_cannot_have_is_refused_and_not_set(
    book: FaultBook, tmp_path: Path, kind: FaultKind
) -> None:
    Actuators(lab_plan(driver=DriverKind.LIBVIRT), book, tmp_path, virsh=no_libvirt)
    with pytest.raises(FaultNotAvailable, match="not available on libvirt hosts"):
        book.set(Fault(host="a", kind=kind))
    assert book.faults() == ()
