"""What a chassis does to its host, and how each of its faults comes between."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.lab.chassis import Chassis, PowerAction, PowerActionRefused
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.lab.hostchassis import HostChassis
from ingot.machine.driver import MachineError
from ingot.machine.model import DEFAULT_ORDER, BootMode, BootSource, Power
from tests.unit.lab.memory import (
    InterruptingDriver,
    Machine,
    ManualAgenda,
    MemoryDriver,
    host_plan,
)

HOST = "master-0"
ISO = Path("agent.iso")
ON, OFF = Power.ON, Power.OFF


@dataclass
class Rack:
    """One host with everything that can be done to it in a test."""

    book: FaultBook
    driver: MemoryDriver = field(default_factory=lambda: MemoryDriver(HOST))
    agenda: ManualAgenda = field(default_factory=ManualAgenda)

    def __post_init__(self) -> None:
        self.chassis = HostChassis(
            host_plan(HOST), driver=self.driver, faults=self.book, agenda=self.agenda
        )

    @property
    def machine(self) -> Machine:
        return self.driver.all[HOST]

    def fault(self, kind: FaultKind, **details: float) -> None:
        self.book.set(Fault(host=HOST, kind=kind, **details))  # type: ignore[arg-type] # as given


@pytest.fixture
def rack(tmp_path: Path) -> Rack:
    return Rack(FaultBook(tmp_path / "faults.json"))


def test_it_is_a_chassis(rack: Rack) -> None:
    chassis: Chassis = rack.chassis
    assert chassis.plan.name == HOST


# ---------------------------------------------------------------- power actions


@pytest.mark.parametrize(
    ("action", "from_off", "from_on"),
    [
        (PowerAction.ON, ON, ON),
        (PowerAction.FORCE_ON, ON, ON),
        (PowerAction.FORCE_OFF, OFF, OFF),
        (PowerAction.GRACEFUL_SHUTDOWN, OFF, OFF),
        (PowerAction.FORCE_RESTART, OFF, ON),
        (PowerAction.GRACEFUL_RESTART, OFF, ON),
        (PowerAction.POWER_CYCLE, OFF, ON),
        (PowerAction.PUSH_POWER_BUTTON, ON, OFF),
    ],
)
def test_each_action_ends_in_its_state(
    rack: Rack, action: PowerAction, from_off: Power, from_on: Power
) -> None:
    rack.machine.power = OFF
    rack.chassis.act(action)
    assert rack.chassis.power() is from_off
    rack.machine.power = ON
    rack.chassis.act(action)
    assert rack.chassis.power() is from_on


@pytest.mark.parametrize(
    ("action", "starts", "resets", "presses"),
    [
        (PowerAction.ON, 0, 0, 0),
        (PowerAction.FORCE_OFF, 0, 0, 0),
        (PowerAction.GRACEFUL_SHUTDOWN, 0, 0, 1),
        (PowerAction.FORCE_RESTART, 1, 1, 0),
        (PowerAction.GRACEFUL_RESTART, 1, 0, 1),
        (PowerAction.POWER_CYCLE, 1, 0, 0),
        (PowerAction.PUSH_POWER_BUTTON, 0, 0, 1),
    ],
)
def test_a_running_host_is_treated_as_the_action_says(
    rack: Rack, action: PowerAction, starts: int, resets: int, presses: int
) -> None:
    rack.machine.power = ON
    rack.chassis.act(action)
    seen = len(rack.machine.starts), rack.machine.resets, rack.machine.presses
    assert seen == (starts, resets, presses)


def test_a_graceful_shutdown_that_is_ignored_has_no_consequence(rack: Rack) -> None:
    rack.machine.power, rack.machine.obeys = ON, False
    rack.chassis.act(PowerAction.GRACEFUL_SHUTDOWN)
    rack.agenda.pass_time(3600)
    assert rack.machine.power is ON
    assert rack.machine.starts == ()


def test_a_graceful_restart_waits_for_the_host_to_be_off(rack: Rack) -> None:
    rack.machine.power, rack.machine.obeys = ON, False
    rack.chassis.act(PowerAction.GRACEFUL_RESTART)
    rack.agenda.pass_time(30)
    assert (rack.machine.power, len(rack.machine.starts)) == (ON, 0)
    rack.machine.power = OFF
    rack.agenda.pass_time(1)
    assert (rack.machine.power, len(rack.machine.starts)) == (ON, 1)


def test_a_graceful_restart_is_forced_when_its_time_is_over(rack: Rack) -> None:
    rack.machine.power, rack.machine.obeys = ON, False
    rack.chassis.act(PowerAction.GRACEFUL_RESTART)
    rack.agenda.pass_time(119)
    assert rack.machine.starts == ()
    rack.agenda.pass_time(2)
    assert (rack.machine.power, len(rack.machine.starts)) == (ON, 1)
    rack.agenda.pass_time(3600)
    assert len(rack.machine.starts) == 1


@pytest.mark.parametrize("newer", [PowerAction.FORCE_OFF, PowerAction.GRACEFUL_SHUTDOWN])
def test_a_newer_action_withdraws_a_pending_restart(rack: Rack, newer: PowerAction) -> None:
    rack.machine.power, rack.machine.obeys = ON, False
    rack.chassis.act(PowerAction.GRACEFUL_RESTART)
    rack.machine.obeys = True
    rack.chassis.act(newer)
    rack.agenda.pass_time(3600)
    assert (rack.machine.power, rack.machine.starts) == (OFF, ())


def test_powering_on_leaves_a_pending_restart_alone(rack: Rack) -> None:
    rack.machine.power, rack.machine.obeys = ON, False
    rack.chassis.act(PowerAction.GRACEFUL_RESTART)
    rack.chassis.act(PowerAction.ON)
    rack.machine.power = OFF
    rack.agenda.pass_time(1)
    assert rack.machine.power is ON


def test_an_interrupt_is_refused_where_the_driver_has_none(rack: Rack) -> None:
    rack.machine.power = ON
    with pytest.raises(PowerActionRefused) as caught:
        rack.chassis.act(PowerAction.NMI)
    assert (caught.value.host, caught.value.action) == (HOST, PowerAction.NMI)
    assert caught.value.remedy


@pytest.mark.parametrize(("power", "interrupted"), [(ON, [HOST]), (OFF, [])])
def test_an_interrupt_goes_to_a_running_host(
    tmp_path: Path, power: Power, interrupted: list[str]
) -> None:
    driver = InterruptingDriver(HOST)
    rack = Rack(FaultBook(tmp_path / "faults.json"), driver)
    rack.machine.power = power
    rack.chassis.act(PowerAction.NMI)
    assert driver.interrupted == interrupted


def test_what_fails_at_once_is_told_to_who_asked(rack: Rack) -> None:
    rack.driver.fails = MachineError("no memory left")
    with pytest.raises(MachineError, match="no memory left"):
        rack.chassis.act(PowerAction.ON)


def test_what_fails_later_is_logged(rack: Rack, caplog: pytest.LogCaptureFixture) -> None:
    rack.machine.power, rack.machine.obeys = ON, False
    rack.chassis.act(PowerAction.GRACEFUL_RESTART)
    rack.driver.fails = MachineError("no memory left")
    with caplog.at_level(logging.ERROR):
        rack.agenda.pass_time(121)
    assert "no memory left" in caplog.text
    assert HOST in caplog.text


def test_observers_are_told_before_each_start_and_reset(rack: Rack) -> None:
    seen: list[tuple[str, Power, int]] = []
    rack.chassis.add_observer(
        lambda host: seen.append((host, rack.machine.power, len(rack.machine.starts)))
    )
    rack.chassis.act(PowerAction.ON)
    rack.chassis.act(PowerAction.ON)
    rack.chassis.act(PowerAction.FORCE_RESTART)
    rack.chassis.act(PowerAction.POWER_CYCLE)
    rack.chassis.act(PowerAction.FORCE_OFF)
    rack.chassis.act(PowerAction.FORCE_RESTART)
    assert seen == [(HOST, OFF, 0), (HOST, ON, 1), (HOST, OFF, 2)]


def test_a_host_does_not_start_without_what_an_observer_was_to_prepare(rack: Rack) -> None:
    def fail(_host: str) -> None:
        raise MachineError("tc is not there")

    rack.chassis.add_observer(fail)
    with pytest.raises(MachineError, match="tc is not there"):
        rack.chassis.act(PowerAction.ON)
    assert rack.machine.power is OFF


def test_closing_ends_what_is_pending(rack: Rack) -> None:
    rack.machine.power, rack.machine.obeys = ON, False
    rack.chassis.act(PowerAction.GRACEFUL_RESTART)
    rack.chassis.close()
    rack.agenda.pass_time(3600)
    assert (rack.machine.power, rack.machine.starts) == (ON, ())


def test_a_slow_driver_does_not_hold_up_who_asks(tmp_path: Path) -> None:
    gate = threading.Event()

    class SlowDriver(MemoryDriver):
        def power_on(self, name: str) -> None:
            gate.wait(30)
            super().power_on(name)

    driver = SlowDriver(HOST)
    chassis = HostChassis(
        host_plan(HOST), driver=driver, faults=FaultBook(tmp_path / "faults.json")
    )
    started = threading.Event()
    chassis.add_observer(lambda _host: started.set())
    chassis.act(PowerAction.ON)
    assert started.wait(30)
    assert chassis.power() is OFF
    gate.set()
    chassis.act(PowerAction.FORCE_RESTART)  # Done after the one that is under way.
    chassis.close()
    assert (driver.all[HOST].power, driver.all[HOST].resets) == (ON, 1)
    assert f"chassis-{HOST}" not in [thread.name for thread in threading.enumerate()]


def test_power_actions_of_many_threads_are_done_one_after_the_other(tmp_path: Path) -> None:
    class CarefulDriver(MemoryDriver):
        at_once = 0

        def power_on(self, name: str) -> None:
            self._alone(lambda: super(CarefulDriver, self).power_on(name))

        def power_off(self, name: str) -> None:
            self._alone(lambda: super(CarefulDriver, self).power_off(name))

        def _alone(self, change: Callable[[], None]) -> None:
            self.at_once += 1
            assert self.at_once == 1
            change()
            self.at_once -= 1

    chassis = HostChassis(
        host_plan(HOST), driver=CarefulDriver(HOST), faults=FaultBook(tmp_path / "faults.json")
    )
    failures: list[BaseException] = []

    def cycle() -> None:
        try:
            for action in (PowerAction.ON, PowerAction.POWER_CYCLE, PowerAction.FORCE_OFF) * 10:
                chassis.act(action)
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=cycle) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    chassis.close()
    assert failures == []


# ---------------------------------------------------------------- settings, media, light


def test_boot_settings_are_those_of_the_driver(rack: Rack) -> None:
    rack.chassis.set_boot_once(BootSource.NETWORK)
    rack.chassis.set_boot_order((BootSource.MEDIA, BootSource.DISK))
    rack.chassis.set_boot_mode(BootMode.UEFI)
    rack.chassis.set_secure_boot(on=True)
    rack.chassis.insert_media(ISO)
    told = rack.machine.settings
    assert rack.chassis.boot_settings() == told
    assert (told.once, told.order) == (BootSource.NETWORK, (BootSource.MEDIA, BootSource.DISK))
    assert (told.mode, told.secure_boot, told.media) == (BootMode.UEFI, True, ISO)
    rack.chassis.set_boot_once(None)
    rack.chassis.eject_media()
    assert (rack.machine.settings.once, rack.machine.settings.media) == (None, None)


def test_the_light_stays_on_until_it_is_switched_off(rack: Rack) -> None:
    assert not rack.chassis.is_identified()
    rack.chassis.identify(on=True)
    rack.agenda.pass_time(10**6)
    assert rack.chassis.is_identified()
    rack.chassis.identify(on=False)
    assert not rack.chassis.is_identified()


def test_the_light_goes_out_after_its_seconds(rack: Rack) -> None:
    rack.chassis.identify(on=True, seconds=15)
    rack.agenda.pass_time(14)
    assert rack.chassis.is_identified()
    rack.agenda.pass_time(1)
    assert not rack.chassis.is_identified()


# ---------------------------------------------------------------- faults


def test_power_ignored_accepts_and_does_nothing(rack: Rack) -> None:
    rack.fault(FaultKind.POWER_IGNORED)
    rack.chassis.act(PowerAction.ON)
    assert rack.machine.power is OFF
    rack.book.clear(HOST, FaultKind.POWER_IGNORED)
    rack.chassis.act(PowerAction.ON)
    assert rack.machine.power is ON


def test_power_late_reports_the_old_state_for_a_while(rack: Rack) -> None:
    rack.fault(FaultKind.POWER_LATE, amount=15, times=1)
    rack.chassis.act(PowerAction.ON)
    assert (rack.machine.power, rack.chassis.power()) == (ON, OFF)
    rack.agenda.pass_time(14)
    assert rack.chassis.power() is OFF
    rack.agenda.pass_time(1)
    assert rack.chassis.power() is ON
    rack.chassis.act(PowerAction.FORCE_OFF)
    assert rack.chassis.power() is OFF


def test_power_late_goes_on_with_what_was_last_reported(rack: Rack) -> None:
    rack.fault(FaultKind.POWER_LATE, amount=15)
    rack.chassis.act(PowerAction.ON)
    rack.chassis.act(PowerAction.FORCE_RESTART)
    assert rack.chassis.power() is OFF
    rack.agenda.pass_time(15)
    assert rack.chassis.power() is ON


def test_power_wrong_reports_the_opposite(rack: Rack) -> None:
    rack.fault(FaultKind.POWER_WRONG, times=2)
    assert [rack.chassis.power() for _ in range(3)] == [ON, ON, OFF]


def test_power_wrong_does_not_mislead_the_host_itself(rack: Rack) -> None:
    rack.fault(FaultKind.POWER_WRONG)
    rack.chassis.act(PowerAction.ON)
    assert rack.machine.power is ON


def test_boot_override_forgotten_accepts_and_forgets(rack: Rack) -> None:
    rack.chassis.set_boot_once(BootSource.MEDIA)
    rack.fault(FaultKind.BOOT_OVERRIDE_FORGOTTEN, times=1)
    rack.chassis.set_boot_once(None)
    rack.chassis.set_boot_once(BootSource.NETWORK)
    assert rack.chassis.boot_settings().once is None
    rack.chassis.set_boot_once(BootSource.NETWORK)
    assert rack.chassis.boot_settings().once is BootSource.NETWORK


def test_boot_order_reset_falls_back_when_power_comes(rack: Rack) -> None:
    order = (BootSource.NETWORK, BootSource.DISK)
    rack.fault(FaultKind.BOOT_ORDER_RESET, times=1)
    rack.machine.power = ON
    rack.chassis.set_boot_order(order)
    rack.chassis.act(PowerAction.FORCE_RESTART)
    assert rack.machine.starts[-1].order == order
    rack.chassis.act(PowerAction.POWER_CYCLE)
    assert rack.machine.starts[-1].order == DEFAULT_ORDER
    assert rack.chassis.boot_settings().order == DEFAULT_ORDER
    rack.chassis.set_boot_order(order)
    rack.chassis.act(PowerAction.POWER_CYCLE)
    assert rack.machine.starts[-1].order == order


def test_media_not_attached_is_reported_but_never_there(rack: Rack) -> None:
    rack.chassis.insert_media(Path("before.iso"))
    rack.fault(FaultKind.MEDIA_NOT_ATTACHED, times=1)
    rack.chassis.insert_media(ISO)
    assert rack.chassis.boot_settings().media == ISO
    rack.chassis.act(PowerAction.ON)
    assert rack.machine.starts[-1].media is None
    rack.chassis.eject_media()
    assert rack.chassis.boot_settings().media is None
    rack.chassis.insert_media(ISO)
    assert rack.machine.settings.media == ISO


def test_settings_that_are_changed_keep_media_that_is_not_attached_away(rack: Rack) -> None:
    rack.fault(FaultKind.MEDIA_NOT_ATTACHED)
    rack.chassis.insert_media(ISO)
    rack.chassis.set_boot_once(BootSource.MEDIA)
    assert rack.machine.settings.media is None
    assert rack.chassis.boot_settings().media == ISO


def test_media_ejected_goes_by_itself_after_a_while(rack: Rack) -> None:
    rack.fault(FaultKind.MEDIA_EJECTED, amount=5, times=1)
    rack.chassis.insert_media(ISO)
    rack.agenda.pass_time(4)
    assert rack.chassis.boot_settings().media == ISO
    rack.agenda.pass_time(1)
    assert rack.chassis.boot_settings().media is None
    rack.chassis.insert_media(ISO)
    rack.agenda.pass_time(3600)
    assert rack.chassis.boot_settings().media == ISO


def test_media_ejected_leaves_media_alone_that_was_inserted_later(rack: Rack) -> None:
    rack.fault(FaultKind.MEDIA_EJECTED, amount=5, times=1)
    rack.chassis.insert_media(Path("before.iso"))
    rack.chassis.insert_media(ISO)
    rack.agenda.pass_time(3600)
    assert rack.chassis.boot_settings().media == ISO


def test_powers_off_ends_a_host_some_time_after_it_was_powered_on(rack: Rack) -> None:
    rack.fault(FaultKind.POWERS_OFF, amount=20, times=1)
    rack.chassis.act(PowerAction.ON)
    rack.agenda.pass_time(19)
    assert rack.chassis.power() is ON
    rack.agenda.pass_time(1)
    assert rack.chassis.power() is OFF
    rack.chassis.act(PowerAction.ON)
    rack.agenda.pass_time(3600)
    assert rack.chassis.power() is ON


def test_powers_off_spares_a_host_that_was_powered_on_again(rack: Rack) -> None:
    rack.fault(FaultKind.POWERS_OFF, amount=20, times=1)
    rack.chassis.act(PowerAction.ON)
    rack.agenda.pass_time(10)
    rack.chassis.act(PowerAction.POWER_CYCLE)
    rack.agenda.pass_time(3600)
    assert rack.chassis.power() is ON


@given(
    seed=st.integers(0, 2**32),
    rate=st.floats(0.1, 0.9),
    after=st.integers(0, 4),
    interleaved=st.lists(st.booleans(), min_size=12, max_size=12),
)
@settings(max_examples=40, deadline=None)
def test_the_same_seed_gives_the_same_failures(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    rate: float,
    after: int,
    interleaved: list[bool],
) -> None:
    def ignored(*, others: bool) -> list[bool]:
        rack = Rack(FaultBook(tmp_path_factory.mktemp("lab") / "faults.json"))
        rack.fault(FaultKind.POWER_IGNORED, seed=seed, rate=rate, after=after)
        seen = []
        for is_interrupted in interleaved:
            if others and is_interrupted:  # Other occasions do not shift these.
                rack.chassis.set_boot_once(BootSource.DISK)
                rack.chassis.power()
            before = rack.machine.power
            rack.chassis.act(PowerAction.FORCE_OFF if before is ON else PowerAction.ON)
            seen.append(rack.machine.power is before)
        return seen

    alone = ignored(others=False)
    assert alone == ignored(others=True)
    assert not any(alone[:after])
