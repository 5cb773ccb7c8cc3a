"""How a lab is doing is told as it is, in plain text, and without striking any fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.reporting import last_line, report
from ingot.machine.model import BootSettings, BootSource, Power
from tests.labplans import planned
from tests.unit.lab.memory import MemoryDriver


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("", ""),
        ("one\ntwo\n", "two"),
        ("login: \n\n   \n", "login:"),
        ("\x1b[0;32m  OK  \x1b[0m Started\x07 sshd\r\n", "OK   Started sshd"),
        ("\x1b]0;a window's name\x07ready", "ready"),
        ("half of a \xff\x00 line", "half of a ÿ line"),
        ("x" * 9000, "x" * 200),
    ],
)
def test_the_last_line_of_a_console_is_plain_text(tmp_path: Path, written: str, seen: str) -> None:
    console = tmp_path / "console.log"
    console.write_text(written, encoding="utf-8", newline="")
    assert last_line(console) == seen


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    console = tmp_path / "console.log"
    console.write_bytes(b"good\n\xff\xfe\n")
    assert last_line(console).strip("\N{REPLACEMENT CHARACTER}") == ""


def test_a_console_that_was_never_written_is_empty(tmp_path: Path) -> None:
    assert last_line(tmp_path / "console.log") == ""


def test_the_truth_is_told_and_no_fault_is_struck(tmp_path: Path) -> None:
    plan = planned()
    name = plan.hosts[0].name
    driver = MemoryDriver(*(host.name for host in plan.hosts))
    driver.power_on(name)
    driver.set_boot_settings(name, BootSettings(once=BootSource.NETWORK, media=Path("a/b.iso")))
    faults = FaultBook(tmp_path / "faults.json")
    faults.set(Fault(host=name, kind=FaultKind.POWER_WRONG))

    told = report(plan, {host.name: driver for host in plan.hosts}, faults, running=True)

    first, second = told.hosts
    assert (first.power, second.power) == (Power.ON, Power.OFF)
    assert (first.boot, first.media) == ("network, once", "b.iso")
    assert second.boot == "disk, network"
    assert first.faults == ("power-wrong",)
    assert first.address == "192.168.111.20"
    struck = faults.present(name, FaultKind.POWER_WRONG)
    assert struck is not None
    assert struck.seen == 0


def test_a_host_that_cannot_be_seen_hides_no_other(tmp_path: Path) -> None:
    plan = planned()
    there = MemoryDriver(plan.hosts[1].name)
    drivers = {plan.hosts[0].name: MemoryDriver(), plan.hosts[1].name: there}
    there.power_on(plan.hosts[1].name)
    told = report(plan, drivers, FaultBook(tmp_path / "faults.json"), running=True)
    assert told.hosts[0].activity == "cannot be seen: there is no machine 'cp-0'"
    assert told.hosts[1].power is Power.ON
