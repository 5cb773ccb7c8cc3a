"""A chassis over a machine of a driver, with the faults of power, boot settings and media.

A BMC does not wait for what it sets off, so whatever a driver does to the power is handed to an
agenda, which also keeps power actions of a host apart from one another. A newer action withdraws
what an older one has left to do: nothing comes back to life because a restart was still pending.

What a fault pretends is kept in memory. It is gone when the lab's daemon starts over, as it would
be with a BMC that lost its power.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from ingot.lab.agenda import Agenda, ThreadAgenda
from ingot.lab.chassis import PowerAction, PowerActionRefused
from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.lab.plan import HostPlan
from ingot.machine.driver import Driver
from ingot.machine.model import DEFAULT_ORDER, BootMode, BootSettings, BootSource, Power

__all__ = ["HostChassis", "Interrupting"]

PATIENCE_SECONDS = 0.5
"""How long a power action may hold up who asked for it; most are over by then."""

SOFT_OFF_SECONDS = 120.0
"""How long what runs on a host may take to shut down before a graceful restart is forced."""

LOOKING_SECONDS = 1.0
"""How often a graceful restart looks whether the host is off."""

_WITHDRAWS_NOTHING = frozenset({PowerAction.ON, PowerAction.FORCE_ON, PowerAction.NMI})
"""Actions after which a host that is being restarted is still to come up again."""

_LOG = logging.getLogger(__name__)


@runtime_checkable
class Interrupting(Protocol):
    """A driver that can also send a machine a non-maskable interrupt."""

    def inject_nmi(self, name: str) -> None:
        """Interrupt a running machine."""


class HostChassis:
    """The chassis of one host; callable from any thread.

    Attributes:
        plan: the host.
    """

    def __init__(
        self,
        plan: HostPlan,
        *,
        driver: Driver,
        faults: FaultBook,
        agenda: Agenda | None = None,
        soft_off_seconds: float = SOFT_OFF_SECONDS,
    ) -> None:
        self.plan = plan
        self._driver = driver
        self._faults = faults
        self._agenda = agenda or ThreadAgenda(f"chassis-{plan.name}")
        self._soft_off_seconds = soft_off_seconds
        self._lock = threading.RLock()
        self._observers: list[Callable[[str], None]] = []
        self._order = 0
        self._late: tuple[Power, float] | None = None
        self._pretended: Path | None = None
        self._insertion = 0
        self._failing: Future[None] | None = None
        self._lit_until = 0.0

    def add_observer(self, on_power_on: Callable[[str], None]) -> None:
        """Have a function called with the host's name just before it is started or reset.

        What it raises fails the power action: a fault that is not there would go unnoticed.
        """
        self._observers.append(on_power_on)

    def close(self) -> None:
        """Forget what is pending and end the thread; the host stays as it is."""
        self._agenda.close()

    # ------------------------------------------------------------------ power

    def power(self) -> Power:
        """Return the power state, as this host's BMC reports it."""
        seen = self._believed_power()
        if self._strikes(FaultKind.POWER_WRONG):
            return Power.OFF if seen is Power.ON else Power.ON
        return seen

    def _believed_power(self) -> Power:
        with self._lock:
            if self._late is not None:
                before, until = self._late
                if self._agenda.now() < until:
                    return before
                self._late = None
        return self._driver.power(self.plan.name)

    def act(self, action: PowerAction) -> None:
        """Begin a power action.

        Raises:
            PowerActionRefused: what runs this host cannot do it.
            MachineError: it was tried, and failed at once.
        """
        if action is PowerAction.NMI and not isinstance(self._driver, Interrupting):
            raise PowerActionRefused(self.plan.name, action)
        if self._strikes(FaultKind.POWER_IGNORED):
            return
        late = self._faults.strikes(self.plan.name, FaultKind.POWER_LATE)
        with self._lock:
            if late is not None:
                self._late = self._believed_power(), self._agenda.now() + (late.amount or 0)
            if action not in _WITHDRAWS_NOTHING:
                self._order += 1
            order = self._order
            doing = self._agenda.later(0, lambda: self._do(action, order))
        wait([doing], PATIENCE_SECONDS)
        if doing.done():
            doing.result()
        else:
            self._tell_if_failed(doing, f"{action} of {self.plan.name}")

    def _do(self, action: PowerAction, order: int) -> None:
        is_on = self._driver.power(self.plan.name) is Power.ON
        if action is PowerAction.PUSH_POWER_BUTTON:
            action = PowerAction.GRACEFUL_SHUTDOWN if is_on else PowerAction.ON
        if action in (PowerAction.ON, PowerAction.FORCE_ON):
            self._start()
        elif action is PowerAction.FORCE_OFF:
            self._stop()
        elif is_on:  # Otherwise there is nothing to shut down, to restart or to interrupt.
            self._do_to_running(action, order)

    def _do_to_running(self, action: PowerAction, order: int) -> None:
        name = self.plan.name
        match action:
            case PowerAction.GRACEFUL_SHUTDOWN:
                self._driver.press_power_button(name)
            case PowerAction.GRACEFUL_RESTART:
                self._driver.press_power_button(name)
                self._restart_when_off(order, self._agenda.now() + self._soft_off_seconds)
            case PowerAction.FORCE_RESTART:
                self._observe()
                self._driver.reset(name)
            case PowerAction.POWER_CYCLE:
                self._stop()
                self._start()
            case PowerAction.NMI if isinstance(self._driver, Interrupting):
                self._driver.inject_nmi(name)

    def _restart_when_off(self, order: int, deadline: float) -> None:
        if order != self._order:
            return
        if self._driver.power(self.plan.name) is Power.ON:
            if self._agenda.now() < deadline:
                again = self._agenda.later(
                    LOOKING_SECONDS, lambda: self._restart_when_off(order, deadline)
                )
                self._tell_if_failed(again, f"the restart of {self.plan.name}")
                return
            self._stop()
        self._start()

    def _start(self) -> None:
        name = self.plan.name
        if self._driver.power(name) is Power.ON:
            return
        if self._strikes(FaultKind.BOOT_ORDER_RESET):
            self.set_boot_order(DEFAULT_ORDER)
        self._observe()
        self._driver.power_on(name)
        self._withdraw_power_failure()
        failing = self._faults.strikes(name, FaultKind.POWERS_OFF)
        if failing is not None:
            self._failing = self._agenda.later(failing.amount or 0, self._stop)
            self._tell_if_failed(self._failing, f"the power failure of {name}")

    def _stop(self) -> None:
        self._withdraw_power_failure()
        self._driver.power_off(self.plan.name)

    def _withdraw_power_failure(self) -> None:
        if self._failing is not None:
            self._failing.cancel()
            self._failing = None

    def _observe(self) -> None:
        for on_power_on in self._observers:
            on_power_on(self.plan.name)

    # ------------------------------------------------------------------ boot settings

    def boot_settings(self) -> BootSettings:
        """Return what the firmware has been told, as this host's BMC reports it."""
        with self._lock:
            settings = self._driver.boot_settings(self.plan.name)
            return replace(settings, media=self._pretended) if self._pretended else settings

    def set_boot_once(self, source: BootSource | None) -> None:
        """Set or withdraw the one-time boot device."""
        if source is not None and self._strikes(FaultKind.BOOT_OVERRIDE_FORGOTTEN):
            source = None
        with self._lock:
            self._change(lambda told: replace(told, once=source))

    def set_boot_order(self, order: tuple[BootSource, ...]) -> None:
        """Set the boot order."""
        with self._lock:
            self._change(lambda told: replace(told, order=order))

    def set_boot_mode(self, mode: BootMode) -> None:
        """Set the kind of firmware."""
        with self._lock:
            self._change(lambda told: replace(told, mode=mode))

    def set_secure_boot(self, *, on: bool) -> None:
        """Switch secure boot."""
        with self._lock:
            self._change(lambda told: replace(told, secure_boot=on))

    def _change(self, change: Callable[[BootSettings], BootSettings]) -> None:
        self._driver.change_boot_settings(self.plan.name, change)

    # ------------------------------------------------------------------ media

    def insert_media(self, image: Path) -> None:
        """Put an image into the virtual drive."""
        is_missed = self._strikes(FaultKind.MEDIA_NOT_ATTACHED)
        ejecting = self._faults.strikes(self.plan.name, FaultKind.MEDIA_EJECTED)
        with self._lock:
            self._put(None if is_missed else image)
            self._pretended = image if is_missed else None
            if ejecting is not None:
                number = self._insertion
                ejection = self._agenda.later(
                    ejecting.amount or 0, lambda: self._eject_itself(number)
                )
                self._tell_if_failed(ejection, f"the ejection of media of {self.plan.name}")

    def eject_media(self) -> None:
        """Empty the virtual drive."""
        with self._lock:
            self._put(None)

    def _put(self, image: Path | None) -> None:
        self._insertion += 1
        self._pretended = None
        self._change(lambda told: replace(told, media=image))

    def _eject_itself(self, number: int) -> None:
        with self._lock:
            if number == self._insertion:  # Otherwise it is gone, or something else is there.
                self._put(None)

    # ------------------------------------------------------------------ the light

    def identify(self, *, on: bool, seconds: float | None = None) -> None:
        """Switch the light by which a person finds the host, on for some seconds or for good."""
        if not on:
            self._lit_until = 0.0
        else:
            self._lit_until = math.inf if seconds is None else self._agenda.now() + seconds

    def is_identified(self) -> bool:
        """Return whether that light is on."""
        return self._agenda.now() < self._lit_until

    # ------------------------------------------------------------------

    def _strikes(self, kind: FaultKind) -> bool:
        return self._faults.strikes(self.plan.name, kind) is not None

    @staticmethod
    def _tell_if_failed(doing: Future[None], what: str) -> None:
        def tell(done: Future[None]) -> None:
            if not done.cancelled() and (error := done.exception()) is not None:
                _LOG.error("%s failed: %s", what, error, exc_info=error)

        doing.add_done_callback(tell)
