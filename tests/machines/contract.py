"""What every driver does, whatever runs its machines.

A driver's own tests have a class below this one and a fixture `bench`; nothing here knows which.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from ingot.machine.driver import Driver, MachineError, NoSuchMachine
from ingot.machine.model import DEFAULT_ORDER, BootSettings, BootSource, Power
from tests.e2e.site import eventually
from tests.machines.bench import Bench
from tests.machines.reporting import ReportingSystem, disc

OPERATIONS: dict[str, Callable[[Driver], object]] = {
    "spec": lambda driver: driver.spec("nobody"),
    "power": lambda driver: driver.power("nobody"),
    "power on": lambda driver: driver.power_on("nobody"),
    "power off": lambda driver: driver.power_off("nobody"),
    "power button": lambda driver: driver.press_power_button("nobody"),
    "reset": lambda driver: driver.reset("nobody"),
    "boot settings": lambda driver: driver.boot_settings("nobody"),
    "changed boot settings": lambda driver: driver.set_boot_settings("nobody", BootSettings()),
    "activity": lambda driver: driver.activity("nobody"),
    "console": lambda driver: driver.console("nobody"),
}


def is_longer(file: Path, *, than: int) -> bool:
    return file.exists() and file.stat().st_size > than


class DriverContract:
    """The tests; those of systems take as long as their boots do."""

    def test_machine_is_there_once_it_is_defined(self, bench: Bench) -> None:
        spec = bench.empty("one")
        assert bench.driver.machines() == ()
        bench.driver.define(spec)
        bench.driver.define(spec)
        for driver in (bench.driver, bench.another_driver()):
            assert driver.machines() == ("one",)
            assert driver.spec("one") == spec
            assert driver.power("one") is Power.OFF
            assert driver.activity("one") == "off"

    def test_machines_are_told_apart_by_name(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        bench.driver.define(bench.empty("two"))
        bench.driver.power_on("two")
        assert bench.driver.machines() == ("one", "two")
        assert bench.driver.power("one") is Power.OFF
        assert bench.driver.power("two") is Power.ON

    def test_another_machine_of_the_same_name_is_refused(self, bench: Bench) -> None:
        spec = bench.empty("one")
        bench.driver.define(spec)
        with pytest.raises(MachineError, match="one") as refused:
            bench.driver.define(replace(spec, memory_mib=spec.memory_mib * 2))
        assert refused.value.remedy
        assert bench.driver.spec("one") == spec

    def test_machine_is_gone_once_it_is_undefined(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        bench.driver.power_on("one")
        bench.driver.undefine("one")
        assert bench.driver.machines() == ()
        bench.driver.undefine("one")
        with pytest.raises(NoSuchMachine):
            bench.another_driver().power("one")

    def test_machine_can_be_made_again(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        bench.driver.set_boot_settings("one", BootSettings(once=BootSource.NETWORK))
        bench.driver.undefine("one")
        bench.driver.define(bench.empty("one"))
        assert bench.driver.boot_settings("one").once is None

    @pytest.mark.parametrize("operation", OPERATIONS)
    def test_nothing_can_be_done_with_a_machine_that_does_not_exist(
        self, bench: Bench, operation: str
    ) -> None:
        with pytest.raises(NoSuchMachine, match="nobody"):
            OPERATIONS[operation](bench.driver)

    def test_power_goes_on_and_off(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        for _ in range(2):
            bench.driver.power_on("one")
            bench.driver.power_on("one")
            assert bench.another_driver().power("one") is Power.ON
            assert bench.driver.activity("one") not in {"", "off"}
            bench.another_driver().power_off("one")
            assert bench.driver.power("one") is Power.OFF
            assert bench.driver.activity("one") == "off"
            bench.driver.power_off("one")

    def test_reset_leaves_the_power_as_it_is(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        bench.driver.reset("one")
        assert bench.driver.power("one") is Power.OFF
        bench.driver.power_on("one")
        bench.driver.reset("one")
        assert bench.driver.power("one") is Power.ON

    def test_power_button_does_not_power_on(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        bench.driver.press_power_button("one")
        assert bench.driver.power("one") is Power.OFF

    def test_new_machine_boots_from_its_disk_first(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        settings = bench.driver.boot_settings("one")
        assert settings.order == DEFAULT_ORDER
        assert settings.once is None
        assert settings.media is None

    def test_boot_settings_outlive_power_cycles(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        told = BootSettings(
            order=(BootSource.NETWORK, BootSource.DISK), mode=bench.mode, media=disc(bench.folder)
        )
        bench.driver.set_boot_settings("one", told)
        assert bench.another_driver().boot_settings("one") == told
        bench.driver.power_on("one")
        assert bench.driver.boot_settings("one") == told
        bench.driver.power_off("one")
        assert bench.driver.boot_settings("one") == told

    def test_one_time_boot_device_is_forgotten_when_it_was_used(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        told = BootSettings(order=(BootSource.DISK,), once=BootSource.NETWORK, mode=bench.mode)
        bench.driver.set_boot_settings("one", told)
        assert bench.driver.boot_settings("one") == told
        bench.driver.power_on("one")
        used = replace(told, once=None)
        eventually(
            lambda: bench.driver.boot_settings("one") == used, within=bench.boot_seconds, every=0.1
        )

    def test_console_keeps_what_every_start_has_shown(self, bench: Bench) -> None:
        bench.driver.define(bench.empty("one"))
        console = bench.driver.console("one")
        shown = b""
        for _ in range(2):
            bench.driver.power_on("one")
            longer = partial(is_longer, console, than=len(shown))
            eventually(longer, within=bench.boot_seconds, every=0.1)
            bench.driver.power_off("one")
            after = console.read_bytes()
            assert after.startswith(shown)
            shown = after

    def test_disk_outlives_a_pulled_plug_and_a_reset(self, bench: Bench) -> None:
        system = ReportingSystem(bench, "node")
        system.comes_up(1)
        bench.driver.power_off("node")
        system.comes_up(2)
        bench.driver.reset("node")
        system.says("boot 3")
        assert bench.driver.power("node") is Power.ON
        assert "asked to end" not in system.reports

    def test_power_button_ends_the_system_and_then_the_power(self, bench: Bench) -> None:
        system = ReportingSystem(bench, "node")
        system.comes_up(1)
        bench.driver.press_power_button("node")
        eventually(
            lambda: bench.driver.power("node") is Power.OFF, within=bench.boot_seconds, every=0.5
        )
        assert system.reports[-1] == "asked to end"
        system.comes_up(2)

    def test_media_comes_and_goes_while_the_system_runs(self, bench: Bench) -> None:
        system = ReportingSystem(bench, "node")
        system.comes_up(1)
        system.says("disc absent")
        settings = bench.driver.boot_settings("node")
        bench.driver.set_boot_settings("node", replace(settings, media=disc(bench.folder)))
        system.says("disc there")
        bench.driver.set_boot_settings("node", settings)
        eventually(lambda: system.reports[-1] == "disc absent", within=bench.boot_seconds)
