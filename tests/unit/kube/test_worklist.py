"""The queue in an event loop, without waiting."""

from __future__ import annotations

import asyncio

from ingot.kube.backoff import Schedule
from ingot.kube.metrics import Metrics
from ingot.kube.worklist import Worklist
from tests.unit.kube.fastforward import fast_forward, settled


def worklist(metrics: Metrics | None = None) -> Worklist[str]:
    return Worklist((metrics or Metrics()).queue("test"), schedule=Schedule(1, 8))


def now() -> float:
    return asyncio.get_running_loop().time()


@fast_forward
async def test_item_is_waited_for() -> None:
    items = worklist()
    taking = asyncio.create_task(items.take())
    await settled()
    assert not taking.done()
    items.add("a")
    assert await taking == "a"


@fast_forward
async def test_item_that_was_put_off_comes_at_its_time() -> None:
    items = worklist()
    items.add_after("late", 600)
    items.add_after("early", 60)
    items.add_after("at once", 0)
    came = [(await items.take(), now()) for _ in range(3)]
    assert [item for item, _ in came] == ["at once", "early", "late"]
    assert [round(time) for _, time in came] == [0, 60, 600]


@fast_forward
async def test_failures_wait_longer_each_time_until_forgiven() -> None:
    items = worklist()
    assert [items.add_failed("a") for _ in range(5)] == [1, 2, 4, 8, 8]
    assert items.failures("a") == 5
    items.forgive("a")
    assert items.add_failed("a") == 1


@fast_forward
async def test_change_does_not_wait_for_the_end_of_a_back_off() -> None:
    items = worklist()
    for _ in range(4):
        items.add_failed("a")
    await items.take()
    items.done("a")
    items.add_after("a", 1000)
    items.add("a")
    assert (await items.take(), round(now())) == ("a", 1)


@fast_forward
async def test_eight_workers_share_items_and_never_one_item() -> None:
    items = worklist()
    busy: set[str] = set()
    done: list[str] = []

    async def worker() -> None:
        while (item := await items.take()) is not None:
            assert item not in busy
            busy.add(item)
            await asyncio.sleep(1)
            busy.remove(item)
            done.append(item)
            items.done(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(worker())
        for number in range(16):
            items.add(f"i{number}")
        await asyncio.sleep(0.5)
        items.add("i0")  # It is being worked on.
        await asyncio.sleep(4)
        items.stop()
    assert sorted(done) == sorted([f"i{number}" for number in range(16)] + ["i0"])


@fast_forward
async def test_after_the_stop_nothing_is_handed_out_or_taken_in() -> None:
    items = worklist()
    items.add("a")
    items.add_after("b", 5)
    waiting = asyncio.create_task(items.take())
    assert await waiting == "a"
    items.add("c")
    items.stop()
    items.done("a")
    items.add("d")
    await asyncio.sleep(10)
    assert await items.take() is None


@fast_forward
async def test_queue_is_counted() -> None:
    metrics = Metrics()
    items = worklist(metrics)
    items.add("a")
    items.add("b")
    items.add("b")
    await items.take()
    await asyncio.sleep(3)
    text = metrics.text().decode()
    labels = '{controller="test",name="test"}'
    assert f"workqueue_adds_total{labels} 2.0" in text
    assert f"workqueue_depth{labels} 1.0" in text
    assert f"workqueue_unfinished_work_seconds{labels} 3.0" in text
    assert f"workqueue_longest_running_processor_seconds{labels} 3.0" in text
    items.done("a")
    assert f"workqueue_work_duration_seconds_sum{labels} 3.0" in metrics.text().decode()
