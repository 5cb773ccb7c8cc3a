"""A User-Mode Linux machine is powered, asked, reset and found again; it is never two processes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from ingot.machine.driver import NoSuchMachine
from ingot.machine.home import SOFT_OFF_SECONDS, Home, uml_dir
from ingot.machine.model import Power
from ingot.machine.uml.driver import UmlDriver
from tests.machines.tiny import Guest, Rack, processes_of, tiny_spec

POWER_ON = """
import sys
from contextlib import suppress
from pathlib import Path
from ingot.machine.uml.driver import UmlDriver

home, kernel, prefix, *firmware = sys.argv[1:]
driver = UmlDriver(Path(home), kernel=Path(kernel), namespace_prefix=prefix, firmware=firmware)
driver.power_on("tiny")
print("powered", flush=True)
sys.stdin.read()
"""


def is_off(guest: Guest) -> None:
    guest.shows(lambda: guest.driver.power(guest.name) is Power.OFF)
    assert processes_of(guest.folder) == []


def pid(guest: Guest) -> int:
    found = Home(guest.folder).process.pid()
    assert found is not None
    return found


def test_new_machine_is_off_and_does_nothing(guest: Guest) -> None:
    assert guest.driver.power(guest.name) is Power.OFF
    assert guest.driver.activity(guest.name) == "off"
    assert guest.console == ""
    assert processes_of(guest.folder) == []


def test_machine_is_one_process_from_power_on_to_power_off(running: Guest) -> None:
    driver = running.driver
    assert driver.power(running.name) is Power.ON
    assert driver.activity(running.name) == "started"
    assert pid(running) in processes_of(running.folder)

    driver.power_on(running.name)
    assert running.starts() == 1

    driver.power_off(running.name)
    assert driver.power(running.name) is Power.OFF
    assert driver.activity(running.name) == "off"
    assert processes_of(running.folder) == []
    assert not uml_dir(Home(running.folder)).exists()
    driver.power_off(running.name)


def test_pulled_plug_asks_nobody_and_keeps_what_was_written(running: Guest) -> None:
    running.does("write", "kept")
    running.driver.power_off(running.name)
    running.driver.power_on(running.name)
    running.comes_up(2)
    assert "guest: asked" not in running.console
    assert "/dev/ubda: kept" in running.does("show", "/dev/ubda")


def test_guest_that_powers_off_is_off(running: Guest) -> None:
    running.is_told("poweroff")
    is_off(running)
    assert running.starts() == 1


def test_guest_that_panics_is_off_and_leaves_no_core(running: Guest) -> None:
    assert resource.prlimit(pid(running), resource.RLIMIT_CORE) == (0, 0)
    running.is_told("panic")
    is_off(running)
    assert "Kernel panic" in running.console
    running.driver.power_on(running.name)
    running.comes_up(2)


def test_guest_that_reboots_starts_at_the_firmware_in_the_same_process(running: Guest) -> None:
    before = pid(running)
    running.is_told("reboot")
    running.comes_up(2)
    assert running.console.count("stub: start") == 2
    assert pid(running) == before
    assert running.driver.power(running.name) is Power.ON


def test_reset_starts_over_at_the_firmware_without_asking(running: Guest) -> None:
    before = pid(running)
    running.does("write", "kept")
    running.driver.reset(running.name)
    running.comes_up(2)
    assert pid(running) != before
    assert "guest: asked" not in running.console
    assert "/dev/ubda: kept" in running.does("show", "/dev/ubda")


def test_reset_of_a_machine_that_is_off_does_nothing(guest: Guest) -> None:
    guest.driver.reset(guest.name)
    assert guest.driver.power(guest.name) is Power.OFF


def test_power_button_asks_the_guest_and_ends_in_power_off(running: Guest) -> None:
    running.driver.press_power_button(running.name)
    is_off(running)
    assert "guest: asked" in running.console
    assert running.starts() == 1

    running.driver.power_on(running.name)
    running.comes_up(2)


def test_power_button_of_a_machine_that_is_off_leaves_no_trace(guest: Guest) -> None:
    guest.driver.press_power_button(guest.name)
    assert guest.driver.power(guest.name) is Power.OFF
    assert not Home(guest.folder).soft_off.exists()


def test_guest_that_ignores_the_power_button_may_reboot_long_after(running: Guest) -> None:
    running.does("ignore")
    running.driver.press_power_button(running.name)
    running.does("show", "/dev/ubda")
    assert running.driver.power(running.name) is Power.ON
    sign = Home(running.folder).soft_off
    long_ago = time.time() - SOFT_OFF_SECONDS - 1
    os.utime(sign, (long_ago, long_ago))

    running.is_told("reboot")
    running.comes_up(2)


@pytest.mark.parametrize("start_over", [UmlDriver.reset, UmlDriver.power_off])
def test_ignored_power_button_is_forgotten_when_power_is_cut(
    running: Guest, start_over: Callable[[UmlDriver, str], None]
) -> None:
    running.does("ignore")
    driver = running.driver
    driver.press_power_button(running.name)
    start_over(driver, running.name)
    driver.power_on(running.name)
    running.comes_up(2)


def test_power_button_works_while_there_is_no_kernel_yet(guest: Guest, rack: Rack) -> None:
    driver = rack.driver(firmware=("sh", "-c", "echo firmware; exec sleep 1000"))
    driver.power_on(guest.name)
    guest.shows(lambda: "firmware" in guest.console)
    driver.press_power_button(guest.name)
    assert driver.power(guest.name) is Power.OFF


def test_many_who_power_on_at_once_get_one_machine(guest: Guest, rack: Rack) -> None:
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(rack.driver().power_on, guest.name) for _ in range(8)]:
            done.result()
    guest.comes_up()
    guest.driver.power_off(guest.name)
    assert guest.console.count("stub: start") == 1
    assert processes_of(guest.folder) == []


def other_process(rack: Rack) -> subprocess.Popen[str]:
    """Return a process with a driver of its own that powers the machine on, and waits."""
    return subprocess.Popen(
        [sys.executable, "-c", POWER_ON, rack.home, rack.kernel, rack.prefix, *rack.firmware],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_power_on_at_once_get_one_machine(guest: Guest, rack: Rack) -> None:
    others = [other_process(rack) for _ in range(3)]
    for other in others:
        other.communicate("")
        assert other.returncode == 0
    guest.comes_up()
    guest.driver.power_off(guest.name)
    assert guest.console.count("stub: start") == 1


def test_machine_outlives_a_killed_controller_and_is_found_again(guest: Guest, rack: Rack) -> None:
    with other_process(rack) as controller:
        assert controller.stdout is not None
        assert controller.stdout.readline() == "powered\n"
        guest.comes_up()
        controller.kill()
    assert guest.driver.power(guest.name) is Power.ON
    assert "/dev/ubda:" in guest.does("show", "/dev/ubda")

    guest.driver.press_power_button(guest.name)
    is_off(guest)


def test_killed_kernel_is_a_machine_that_is_off(running: Guest) -> None:
    os.kill(pid(running), signal.SIGKILL)
    is_off(running)
    running.driver.power_on(running.name)
    running.comes_up(2)


def test_five_machines_start_at_once(driver: UmlDriver, rack: Rack) -> None:
    guests = [Guest(driver, rack.home, f"tiny{number}") for number in range(5)]
    for number, guest in enumerate(guests):
        driver.define(tiny_spec(guest.name, number=number))
    for guest in guests:
        driver.power_on(guest.name)
    for guest in guests:
        guest.comes_up()


def test_machine_that_is_removed_while_it_runs_leaves_nothing(running: Guest) -> None:
    running.driver.undefine(running.name)
    assert processes_of(running.folder) == []
    assert not running.folder.exists()
    with pytest.raises(NoSuchMachine):
        running.driver.power(running.name)


def test_console_copier_ends_with_the_machine(running: Guest) -> None:
    def copiers() -> list[int]:
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(FileNotFoundError, PermissionError):
                if (path / "fd/1").readlink() == running.folder / "console.log":
                    found.append(int(path.name))
        return found

    assert len(copiers()) == 1
    running.driver.power_off(running.name)
    running.shows(lambda: copiers() == [])
