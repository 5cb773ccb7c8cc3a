"""A machine that gets less of its processor than it wants.

Its processes are stopped for most of each tenth of a second. A limit by a control group was
rejected: it needs a hierarchy that may belong to somebody else, and would outlive the daemon. What
is stopped here is stopped only for a moment. A daemon that is killed in that moment leaves it so,
and the next one lets everything run again.

One thread does it for all machines. It sleeps while there is nothing to do.
"""

from __future__ import annotations

import atexit
import math
import signal
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingot.background import Background
from ingot.lab.faults.running import RunningMachine

__all__ = ["UNLIMITED", "Allowance", "Processors", "Turn", "turns"]

RUN, STOP = signal.SIGCONT, signal.SIGSTOP
PERIOD_SECONDS = 0.1
LOOKING_SECONDS = 0.25
"""How often a machine is looked for that has a limit and is off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How much of its processor a machine gets, from 0 to 1.

    Attributes:
        share: at any time.
        boot_share: while it boots.
        boot_seconds: for how long it is held to do so.
    """

    share: float = 1
    boot_share: float = 1
    boot_seconds: float = 0

    def at(self, age: float) -> float:
        """Return the share some seconds after the machine was started."""
        return min(self.share, self.boot_share) if age < self.boot_seconds else self.share

    def is_over(self, age: float) -> bool:
        """Tell whether the machine has no limit from that age on."""
        return self.share >= 1 and age >= self.boot_seconds


UNLIMITED = Allowance()


class Turn(NamedTuple):
    """A moment at which a machine is stopped or let run.

    Attributes:
        at: as a part of the period.
        machine: its place among those with a limit.
        told: SIGCONT or SIGSTOP.
    """

    at: float
    machine: int
    told: signal.Signals


def turns(shares: Sequence[float]) -> list[Turn]:
    """Return what is done in each period, in order.

    Machines begin one after another: if all of them ran at once, those on the same processor would
    get a part of their share, and the processor would idle after that.

    Args:
        shares: how much of its processor each machine gets.
    """
    found: list[Turn] = []
    for place, share in enumerate(shares):
        begin = place / len(shares)
        end = begin + share
        if share >= 1 or share <= 0:
            found.append(Turn(0, place, RUN if share >= 1 else STOP))
        elif end > 1:  # It goes on in the next period.
            found += [Turn(0, place, RUN), Turn(end - 1, place, STOP), Turn(begin, place, RUN)]
        else:
            found += [Turn(begin, place, RUN), Turn(end, place, STOP)]
    return sorted(found, key=lambda turn: turn.at)


@dataclass(slots=True)
class _Limited:
    """A machine with a limit, and its processes while it is on."""

    process: Background
    allowance: Allowance
    began: float
    running: RunningMachine | None = None

    def look(self) -> RunningMachine | None:
        """Return its processes, found anew where they were others."""
        if self.running is not None and self.running.has_ended:
            self.let_go()
        if self.running is None:
            self.running = RunningMachine.found(self.process)
        return self.running

    def age(self, running: RunningMachine) -> float:
        """Return for how long it has been on, by its process or since we were told of a reset."""
        return min(running.age(), time.monotonic() - self.began)

    def let_go(self) -> None:
        """Let its processes run, and forget them."""
        if self.running is not None:
            self.running.tell(signal.SIGCONT)
            self.running.close()
            self.running = None


class Processors:
    """The processors of all machines of a lab; callable from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._limited: dict[str, _Limited] = {}
        self._changes = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    def start(self, processes: Iterable[Background]) -> None:
        """Begin, and let run what an earlier daemon may have left stopped."""
        for process in processes:
            running = RunningMachine.found(process)
            if running is not None:
                running.tell(signal.SIGCONT)
                running.close()
        # However this process ends by itself, no machine may stay stopped.
        atexit.register(self.stop)
        self._thread = threading.Thread(target=self._run, name="processors", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let every machine run without limits; it is so when this returns."""
        with self._changed:
            self._closed = True
            self._notify()
        if self._thread is not None:
            self._thread.join()
        atexit.unregister(self.stop)

    def allow(
        self, name: str, process: Background, allowance: Allowance, *, restarted: bool = False
    ) -> None:
        """Give a machine that much of its processor from now on.

        Args:
            name: the machine.
            process: what it runs as.
            allowance: how much it gets.
            restarted: whether it is about to be started or reset.
        """
        with self._changed:
            before = self._limited.get(name)
            if before is not None and before.allowance == allowance and not restarted:
                return
            if allowance == UNLIMITED and before is None:
                return
            began = time.monotonic() if restarted else before.began if before else -math.inf
            if before is not None:
                before.let_go()
                del self._limited[name]
            if allowance != UNLIMITED:
                self._limited[name] = _Limited(process, allowance, began)
            self._notify()

    def _notify(self) -> None:
        self._changes += 1
        self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while not self._closed:
                self._go_once()
            for limited in self._limited.values():
                limited.let_go()
            self._limited.clear()

    def _go_once(self) -> None:
        """Do one period, or as much of it as nothing changes."""
        shares: list[tuple[float, RunningMachine]] = []
        for name, limited in list(self._limited.items()):
            running = limited.look()
            if running is None:
                continue
            age = limited.age(running)
            if limited.allowance.is_over(age):
                limited.let_go()
                del self._limited[name]
            else:
                shares.append((limited.allowance.at(age), running))
        if not shares:
            self._changed.wait(LOOKING_SECONDS if self._limited else None)
            return
        self._let_run_for_shares(shares)

    def _let_run_for_shares(self, shares: list[tuple[float, RunningMachine]]) -> None:
        begun, changes = time.monotonic(), self._changes
        machines = [running for _, running in shares]
        for turn in turns([share for share, _ in shares]):
            if not self._is_quiet(begun + turn.at * PERIOD_SECONDS, changes):
                return
            machines[turn.machine].tell(turn.told)
        self._is_quiet(begun + PERIOD_SECONDS, changes)

    def _is_quiet(self, until: float, changes: int) -> bool:
        """Wait for a moment; return at once, with False, where a limit has changed."""
        while self._changes == changes and (left := until - time.monotonic()) > 0:
            self._changed.wait(left)
        return self._changes == changes
