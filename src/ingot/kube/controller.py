"""A controller: what happens to objects calls for reconciles, and workers do them.

A reconcile is told a name and nothing else. It looks at what is, and brings it nearer to what is
wished for; so it does not matter how many changes led to it, nor whether one was missed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

from ingot.errors import IngotError
from ingot.kube.backoff import RECONCILE, Schedule
from ingot.kube.changes import Change, Filter, Mapper, every_change, itself
from ingot.kube.errors import Conflict
from ingot.kube.kind import ObjectKey
from ingot.kube.metrics import Metrics
from ingot.kube.worklist import Worklist

__all__ = ["Controller", "Feed", "Hopeless", "Reconcile", "Result", "Source"]

log = logging.getLogger(__name__)

RECONCILE_SECONDS = 600.0
"""No reconcile of ours waits for hardware. One that takes this long hangs."""

GRACE_SECONDS = 20.0
"""Within the 30 that a pod has to end, with something left for the lease."""


class Hopeless(IngotError):  # noqa: N818 - it says what was seen
    """A reconcile failed, and only a change of the object could help: it is not tried again."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a reconcile ended.

    Attributes:
        after: seconds until the next one; None if nothing but a change calls for it.
        soon: there is more to do. The next comes after a back-off that begins at milliseconds.
    """

    after: float | None = None
    soon: bool = False

    @classmethod
    def done(cls) -> Self:
        """Nothing is left to do."""
        return cls()

    @classmethod
    def again_in(cls, seconds: float) -> Self:
        """Look again after a time."""
        return cls(after=seconds)

    @classmethod
    def again_soon(cls) -> Self:
        """Go on as soon as the others had their turn."""
        return cls(soon=True)


Reconcile: TypeAlias = Callable[[ObjectKey], Awaitable[Result]]


class Feed(Protocol):
    """Whatever tells of changes; in a program, a `SharedWatch`."""

    def subscribe(self, subscriber: Callable[[Change[Any]], None]) -> Callable[[], None]:
        """Tell somebody of what is there and of every change; return what ends it."""


@dataclass(frozen=True, slots=True)
class Source:
    """What calls for reconciles.

    Attributes:
        watch: where changes come from.
        keep: which of them count.
        keys: whose reconcile they call for.
        forgives: whether such a change ends a back-off: the input that failed is no longer there.
    """

    watch: Feed
    keep: Filter = every_change
    keys: Mapper = itself
    forgives: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """One kind of work.

    Attributes:
        name: what it is called in metrics and logs.
        reconcile: does the work for one object.
        sources: what calls for it.
        callers: what else does, from outside of the API server: each is told whom to call with the
            object's name, and returns what ends it.
        workers: how many objects are worked on at once; never one object by two.
        deadline: how long one reconcile may take.
        schedule: how failures are backed off.
    """

    name: str
    reconcile: Reconcile
    sources: Sequence[Source]
    callers: Sequence[Callable[[Callable[[ObjectKey], None]], Callable[[], None]]] = ()
    workers: int = 1
    deadline: float = RECONCILE_SECONDS
    schedule: Schedule = RECONCILE

    async def run(
        self,
        stop: asyncio.Event,
        *,
        metrics: Metrics,
        may_act: Callable[[], bool] = lambda: True,
        grace: float = GRACE_SECONDS,
    ) -> None:
        """Work until told to stop; what is under way then may be finished within a time.

        Args:
            stop: set when nothing more shall be begun.
            metrics: where it is counted.
            may_act: asked before each reconcile; once it says no, nothing more is begun.
            grace: how long what is under way has to end, before it is cancelled.
        """
        worklist: Worklist[ObjectKey] = Worklist(metrics.queue(self.name), schedule=self.schedule)
        shift = _Shift(self, worklist, metrics, may_act)
        endings = [source.watch.subscribe(shift.listener(source)) for source in self.sources]
        endings += [subscribe(worklist.add) for subscribe in self.callers]
        try:
            async with asyncio.TaskGroup() as group:
                workers = [
                    group.create_task(shift.work(), name=f"{self.name} worker {number}")
                    for number in range(self.workers)
                ]
                await stop.wait()
                worklist.stop()
                _, late = await asyncio.wait(workers, timeout=grace)
                for worker in late:
                    log.warning("%s: cut off %g s after the stop", worker.get_name(), grace)
                    worker.cancel()
        finally:
            worklist.stop()
            for end in endings:
                end()


class _Shift:
    """What the workers of a running controller share."""

    def __init__(
        self,
        controller: Controller,
        worklist: Worklist[ObjectKey],
        metrics: Metrics,
        may_act: Callable[[], bool],
    ) -> None:
        self._controller = controller
        self._worklist = worklist
        self._may_act = may_act
        self._metrics = metrics.controller(controller.name, workers=controller.workers)

    def listener(self, source: Source) -> Callable[[Change[Any]], None]:
        def on_change(change: Change[Any]) -> None:
            if not source.keep(change):
                return
            # What an object calls for may differ before and after: both sides are told.
            keys = [key for side in (change.old, change.new) if side for key in source.keys(side)]
            for key in dict.fromkeys(keys):
                if source.forgives:
                    self._worklist.forgive(key)
                self._worklist.add(key)

        return on_change

    async def work(self) -> None:
        while (key := await self._worklist.take()) is not None:
            try:
                if not self._may_act():
                    return
                with self._metrics.active.track_inprogress(), self._metrics.seconds.time():
                    await self._reconcile(key)
            finally:
                self._worklist.done(key)

    async def _reconcile(self, key: ObjectKey) -> None:
        name, worklist = self._controller.name, self._worklist
        try:
            async with asyncio.timeout(self._controller.deadline):
                result = await self._controller.reconcile(key)
        except Hopeless as error:
            log.error("%s %s: %s; not tried again before it changes", name, key, error)  # noqa: TRY400 - an outcome, whose trace says nothing
            self._metrics.terminal_errors.inc()
            self._failed(key, again=False)
        except Conflict as error:
            log.debug("%s %s: %s", name, key, error)  # Somebody else was faster: all in order.
            self._failed(key)
        except (IngotError, TimeoutError) as error:
            seen = worklist.failures(key) + 1
            # Each doubling is told: a server that is away for a minute is no ten thousand lines.
            level = logging.DEBUG if seen & (seen - 1) else logging.WARNING
            said = str(error) or "deadline passed"
            log.log(level, "%s %s: %s (failure %d)", name, key, said, seen)
            self._failed(key, at_least=getattr(error, "retry_after", None) or 0.0)
        except Exception:
            # A mistake of ours in one object must not stop the work for all others.
            log.exception("%s %s: unexpected", name, key)
            self._metrics.panics.inc()
            self._failed(key)
        else:
            self._ended(key, result)

    def _failed(self, key: ObjectKey, *, again: bool = True, at_least: float = 0.0) -> None:
        self._metrics.count("error")
        self._metrics.errors.inc()
        if again:
            self._worklist.add_failed(key, at_least=at_least)
        else:
            self._worklist.forgive(key)

    def _ended(self, key: ObjectKey, result: Result) -> None:
        if result.after is not None:
            self._worklist.forgive(key)
            self._worklist.add_after(key, result.after)
            self._metrics.count("requeue_after")
        elif result.soon:
            self._worklist.add_failed(key)
            self._metrics.count("requeue")
        else:
            self._worklist.forgive(key)
            self._metrics.count("success")
