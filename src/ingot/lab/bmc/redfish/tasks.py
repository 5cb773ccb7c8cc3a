"""Work that goes on after its request was answered, for clients that ask for it.

A client says so by `Prefer: respond-async`. Everything else is done before it is answered, which is
what most clients handle best.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus

from ingot.errors import IngotError
from ingot.lab.bmc.redfish.refusal import Refused

__all__ = ["Progress", "Task", "Tasks"]

KEPT = 50
"""Finished tasks that can still be asked for."""

Progress = Callable[[int, int | None], None]
"""How far something is: what is done, and of how much, if that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One piece of work.

    Attributes:
        refusal: why it failed, when it has.
        ended: when it was over; None while it goes on.
    """

    number: str
    name: str
    percent: int = 0
    refusal: Refused | None = None
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended: datetime | None = None

    @property
    def state(self) -> str:
        """Redfish's word for how it is going."""
        if self.ended is None:
            return "Running"
        return "Completed" if self.refusal is None else "Exception"


class Tasks:
    """The tasks of one BMC; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = 0
        self._tasks: OrderedDict[str, Task] = OrderedDict()

    def begin(self, name: str, work: Callable[[Progress], None]) -> Task:
        """Start to work, and return at once."""
        with self._lock:
            self._begun += 1
            # The emulator has a task 42 of its own.
            task = Task(number=f"T{self._begun}", name=name)
            self._tasks[task.number] = task
            while len(self._tasks) > KEPT:
                self._tasks.popitem(last=False)
        threading.Thread(
            target=self._run, args=(task.number, work), name=f"task {name}", daemon=True
        ).start()
        return task

    def find(self, number: str) -> Task | None:
        """Return a task."""
        with self._lock:
            return self._tasks.get(number)

    def all(self) -> tuple[Task, ...]:
        """Return those that are known."""
        with self._lock:
            return tuple(self._tasks.values())

    def _run(self, number: str, work: Callable[[Progress], None]) -> None:
        def progress(done: int, total: int | None) -> None:
            if total:
                self._note(number, percent=100 * done // total)

        try:
            work(progress)
        except Refused as e:
            self._note(number, refusal=e, ended=datetime.now(UTC))
        except IngotError as e:
            refusal = Refused(HTTPStatus.INTERNAL_SERVER_ERROR, e.what)
            self._note(number, refusal=refusal, ended=datetime.now(UTC))
        else:
            self._note(number, percent=100, ended=datetime.now(UTC))

    def _note(self, number: str, **seen: object) -> None:
        with self._lock:
            task = self._tasks.get(number)
            if task is not None:
                self._tasks[number] = replace(task, **seen)  # type: ignore[arg-type] # its fields
