"""A host that is nothing but memory: enough for whatever only a BMC and its chassis do."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path

from ingot.lab.plan import BmcKind, BmcPlan, DiskPlan, DriverKind, HostPlan, NicPlan, Role
from ingot.machine.driver import NoSuchMachine
from ingot.machine.model import BootMode, BootSettings, MacAddress, MachineSpec, Power


def host_plan(name: str = "master-0", *, address: str = "127.0.0.1", number: int = 1) -> HostPlan:
    mac = MacAddress(f"52:54:00:00:00:{number:02x}")
    return HostPlan(
        name=name,
        role=Role.CONTROL_PLANE,
        uuid=f"1b1d6b4e-5d1f-4b0c-9a52-0000000000{number:02x}",
        serial=f"INGOT{number:04}",
        driver=DriverKind.UML,
        memory_mib=1024,
        cpus=1,
        boot_mode=BootMode.LEGACY,
        nics=(NicPlan(mac=mac, bridge="baremetal", port=f"p{number}"),),
        disks=(DiskPlan(size_gib=1, serial="d0", wwn="0x5000000000000001"),),
        bmc=BmcPlan(
            kind=BmcKind.IPMI,
            address=IPv4Address(address),
            username="admin",
            password="correct-horse",
        ),
    )


@dataclass(slots=True)
class Machine:
    """What a machine in memory is doing.

    Attributes:
        obeys: whether what runs on it shuts down when its power button is pressed.
        starts: the boot settings of each start.
    """

    settings: BootSettings
    power: Power = Power.OFF
    obeys: bool = True
    starts: tuple[BootSettings, ...] = ()
    resets: int = 0
    presses: int = 0


class MemoryDriver:
    """A driver of such machines; `fails` is raised instead of a change of power."""

    def __init__(self, *names: str) -> None:
        self.all = {name: Machine(BootSettings()) for name in names}
        self.fails: Exception | None = None

    def define(self, spec: MachineSpec) -> None:
        self.all.setdefault(spec.name, Machine(BootSettings()))

    def undefine(self, name: str) -> None:
        self.all.pop(name, None)

    def machines(self) -> tuple[str, ...]:
        return tuple(self.all)

    def spec(self, name: str) -> MachineSpec:
        return MachineSpec(name=name, uuid="", memory_mib=1, disks=(), nics=())

    def power(self, name: str) -> Power:
        return self._machine(name).power

    def power_on(self, name: str) -> None:
        machine = self._machine(name)
        if self.fails:
            raise self.fails
        if machine.power is Power.OFF:
            machine.power = Power.ON
            self._start(machine)

    def power_off(self, name: str) -> None:
        if self.fails:
            raise self.fails
        self._machine(name).power = Power.OFF

    def press_power_button(self, name: str) -> None:
        machine = self._machine(name)
        machine.presses += 1
        if machine.obeys:
            machine.power = Power.OFF

    def reset(self, name: str) -> None:
        machine = self._machine(name)
        if machine.power is Power.ON:
            machine.resets += 1
            self._start(machine)

    def boot_settings(self, name: str) -> BootSettings:
        return self._machine(name).settings

    def set_boot_settings(self, name: str, settings: BootSettings) -> None:
        self._machine(name).settings = settings

    def change_boot_settings(
        self, name: str, change: Callable[[BootSettings], BootSettings]
    ) -> None:
        self._machine(name).settings = change(self._machine(name).settings)

    def activity(self, name: str) -> str:
        return str(self._machine(name).power)

    def console(self, name: str) -> Path:
        return Path("consoles", name)

    def _machine(self, name: str) -> Machine:
        if name not in self.all:
            raise NoSuchMachine(name)
        return self.all[name]

    @staticmethod
    def _start(machine: Machine) -> None:
        machine.starts += (machine.settings,)
        machine.settings = replace(machine.settings, once=None)


class InterruptingDriver(MemoryDriver):
    """One that can also send a non-maskable interrupt."""

    def __init__(self, *names: str) -> None:
        super().__init__(*names)
        self.interrupted: list[str] = []

    def inject_nmi(self, name: str) -> None:
        self.interrupted.append(name)


class ManualAgenda:
    """An agenda whose time passes only by `pass_time`; what is due now is done on the spot."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.closed = False
        self._order = itertools.count()
        self._waiting: list[tuple[float, int, Future[None], Callable[[], object]]] = []

    def now(self) -> float:
        return self.time

    def later(self, seconds: float, work: Callable[[], object]) -> Future[None]:
        future: Future[None] = Future()
        heapq.heappush(self._waiting, (self.time + seconds, next(self._order), future, work))
        if seconds <= 0:
            self._do_what_is_due()
        return future

    def pass_time(self, seconds: float) -> None:
        until = self.time + seconds
        while self._waiting and self._waiting[0][0] <= until:
            self.time = max(self.time, self._waiting[0][0])
            self._do_what_is_due()
        self.time = until

    def close(self) -> None:
        self.closed = True
        self._waiting.clear()

    def _do_what_is_due(self) -> None:
        while self._waiting and self._waiting[0][0] <= self.time:
            _, _, future, work = heapq.heappop(self._waiting)
            if not future.set_running_or_notify_cancel():
                continue
            try:
                work()
            except Exception as error:  # noqa: BLE001 - as the real one does
                future.set_exception(error)
            else:
                future.set_result(None)
