"""What a controller does with changes and with the results of reconciles."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ingot.errors import IngotError
from ingot.kube.changes import Change, generation_changed
from ingot.kube.controller import Controller, Hopeless, Reconcile, Result, Source
from ingot.kube.errors import Conflict
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.metrics import Metrics
from ingot.kube.object import KubeObject
from tests.unit.kube.fastforward import fast_forward, settled
from tests.unit.kube.objects import thing

ONE = ObjectKey("ns", "one")


class Feed:
    """Changes by hand."""

    def __init__(self) -> None:
        self.subscribers: list[Callable[[Change[Any]], None]] = []

    def subscribe(self, subscriber: Callable[[Change[Any]], None]) -> Callable[[], None]:
        self.subscribers.append(subscriber)
        return lambda: self.subscribers.remove(subscriber)

    def tell(self, old: KubeObject[Content] | None, new: KubeObject[Content] | None) -> None:
        for subscriber in self.subscribers:
            subscriber(Change(old, new))


class Diary:
    """Reconciles, with the second at which each began."""

    def __init__(self, *results: Result | Exception) -> None:
        self.times: list[float] = []
        self.results = list(results)

    async def reconcile(self, _key: ObjectKey) -> Result:
        self.times.append(asyncio.get_running_loop().time())
        outcome = self.results.pop(0) if self.results else Result.done()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@asynccontextmanager
async def running(
    reconcile: Reconcile,
    *,
    metrics: Metrics | None = None,
    **options: Any,  # noqa: ANN401 - of Source, Controller and run
) -> AsyncIterator[Feed]:
    feed = Feed()
    filters = {name: options.pop(name) for name in ("keep", "forgives") if name in options}
    may_act = options.pop("may_act", lambda: True)
    controller = Controller(
        name="test", reconcile=reconcile, sources=[Source(feed, **filters)], **options
    )
    stop = asyncio.Event()
    task = asyncio.create_task(
        controller.run(stop, metrics=metrics or Metrics(), may_act=may_act, grace=5)
    )
    await settled()
    try:
        yield feed
    finally:
        stop.set()
        await task
    assert feed.subscribers == []


def counted(metrics: Metrics, result: str) -> str:
    start = f'controller_runtime_reconcile_total{{controller="test",result="{result}"}} '
    lines = metrics.text().decode().splitlines()
    return next((line.removeprefix(start) for line in lines if line.startswith(start)), "0")


@pytest.mark.parametrize(
    ("outcome", "result", "second_after"),
    [
        (Result.done(), "success", None),
        (Result.again_in(60), "requeue_after", 60.0),
        (Result.again_soon(), "requeue", 0.005),
        (IngotError("it failed"), "error", 0.005),
        (TimeoutError(), "error", 0.005),
        (ZeroDivisionError("a mistake"), "error", 0.005),
        (Conflict("PUT", code=409, reason="Conflict", message="changed"), "error", 0.005),
        (Hopeless("cannot be"), "error", None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_result_decides_when_the_next_reconcile_is(
    outcome: Result | Exception, result: str, second_after: float | None
) -> None:
    @fast_forward
    async def check() -> None:
        diary, metrics = Diary(outcome), Metrics()
        async with running(diary.reconcile, metrics=metrics) as feed:
            feed.tell(None, thing())
            await asyncio.sleep(10_000)
        assert counted(metrics, result) == "1.0"
        first, *more = diary.times
        expected = [] if second_after is None else [first + second_after]
        assert more == pytest.approx(expected, abs=0.002)

    check()


@fast_forward
async def test_failures_back_off_up_to_a_thousand_seconds_and_success_forgives() -> None:
    failures = [IngotError("no")] * 20
    diary = Diary(*failures, Result.done(), IngotError("again"))
    async with running(diary.reconcile) as feed:
        feed.tell(None, thing())
        await asyncio.sleep(20_000)
        gaps = [after - before for before, after in zip(diary.times, diary.times[1:], strict=False)]
        assert gaps[:4] == pytest.approx([0.005, 0.01, 0.02, 0.04], abs=0.002)
        assert gaps[-1] == pytest.approx(1000, abs=0.01)
        seen = len(diary.times)
        feed.tell(None, thing(version=2))
        await asyncio.sleep(1)
        again = diary.times[seen:]
        assert again[1] - again[0] == pytest.approx(0.005, abs=0.002)


@fast_forward
async def test_changed_input_ends_a_back_off_at_once_where_it_is_said_to() -> None:
    diary = Diary(*[IngotError("no")] * 25)
    async with running(diary.reconcile, keep=generation_changed, forgives=True) as feed:
        feed.tell(None, thing())
        await asyncio.sleep(3000)
        seen = len(diary.times)
        feed.tell(thing(), thing(version=2))
        await settled()
        assert len(diary.times) == seen, "a status is no new input"
        feed.tell(thing(), thing(version=2, generation=2))
        await asyncio.sleep(0.02)
        assert len(diary.times) == seen + 3, "now, after 5 and after 15 milliseconds"


@fast_forward
async def test_reconcile_that_hangs_is_ended_and_tried_again() -> None:
    calls = 0

    async def hang(_key: ObjectKey) -> Result:
        nonlocal calls
        calls += 1
        await asyncio.sleep(10_000)
        return Result.done()

    async with running(hang, deadline=100) as feed:
        feed.tell(None, thing())
        await asyncio.sleep(150)
        assert calls == 2


@fast_forward
async def test_change_during_a_reconcile_leads_to_one_more() -> None:
    begun, overlapping = 0, 0

    async def slow(_key: ObjectKey) -> Result:
        nonlocal begun, overlapping
        begun += 1
        overlapping += 1
        assert overlapping == 1
        await asyncio.sleep(10)
        overlapping -= 1
        return Result.done()

    async with running(slow, workers=8) as feed:
        feed.tell(None, thing())
        await asyncio.sleep(1)
        for version in range(2, 9):
            feed.tell(thing(), thing(version=version))
        await asyncio.sleep(100)
    assert begun == 2


@fast_forward
async def test_mapping_is_told_the_side_before_and_the_side_after() -> None:
    called: list[ObjectKey] = []

    async def note(key: ObjectKey) -> Result:
        called.append(key)
        return Result.done()

    feed = Feed()
    by_label = Source(feed, keys=lambda found: [ObjectKey("ns", found.metadata.labels["of"])])
    controller = Controller(name="test", reconcile=note, sources=[by_label])
    stop = asyncio.Event()
    task = asyncio.create_task(controller.run(stop, metrics=Metrics()))
    await settled()
    feed.tell(thing(labels={"of": "a"}), thing(version=2, labels={"of": "b"}))
    await settled()
    stop.set()
    await task
    assert called == [ObjectKey("ns", "a"), ObjectKey("ns", "b")]


@fast_forward
async def test_nothing_is_begun_once_acting_is_not_allowed() -> None:
    allowed = True
    diary = Diary()
    async with running(diary.reconcile, may_act=lambda: allowed) as feed:
        feed.tell(None, thing("a"))
        await settled()
        allowed = False
        feed.tell(None, thing("b"))
        await settled()
    assert len(diary.times) == 1


@pytest.mark.parametrize(("takes", "ends"), [(4, True), (6, False)])
def test_what_is_under_way_at_the_stop_has_the_grace_to_end(takes: float, *, ends: bool) -> None:
    @fast_forward
    async def check() -> None:
        ended = False

        async def slow(_key: ObjectKey) -> Result:
            nonlocal ended
            await asyncio.sleep(takes)
            ended = True
            return Result.done()

        async with running(slow) as feed:
            feed.tell(None, thing())
            await settled()
        assert ended is ends
        assert asyncio.get_running_loop().time() == pytest.approx(min(takes, 5), abs=0.1)

    check()
