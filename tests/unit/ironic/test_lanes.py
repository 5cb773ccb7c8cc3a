"""Who may call next."""

from __future__ import annotations

import asyncio

import pytest

from ingot.ironic.lanes import Lane

FOR_EVER = 3600.0


async def moments(count: int = 20) -> None:
    """Let all that can go on go on."""
    for _ in range(count):
        await asyncio.sleep(0)


class Bench:
    """A lane with calls that end when they are told to."""

    def __init__(self, places: int) -> None:
        self.lane = Lane(places)
        self.started: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    def call(self, name: str, patience: float = FOR_EVER) -> None:
        """Make a call; the first letter of its name is its host."""
        self.ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._run(name, patience))

    async def _run(self, name: str, patience: float) -> None:
        async with self.lane.turn(name[0], patience=patience):
            self.started.append(name)
            await self.ends[name].wait()

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await self.tasks[name]
        await moments()


def test_no_more_run_at_once_than_there_are_places() -> None:
    async def story() -> None:
        bench = Bench(2)
        for name in ("a1", "b1", "c1"):
            bench.call(name)
        await moments()
        assert bench.started == ["a1", "b1"]
        assert (bench.lane.running, bench.lane.waiting) == (2, 1)
        await bench.end("b1")
        assert bench.started == ["a1", "b1", "c1"]
        await bench.end("a1")
        await bench.end("c1")
        assert (bench.lane.running, bench.lane.waiting) == (0, 0)

    asyncio.run(story())


def test_a_host_has_one_call_under_way_even_where_places_are_free() -> None:
    async def story() -> None:
        bench = Bench(4)
        for name in ("a1", "a2", "b1"):
            bench.call(name)
        await moments()
        assert bench.started == ["a1", "b1"]
        await bench.end("a1")
        assert bench.started == ["a1", "b1", "a2"]
        await bench.end("a2")
        await bench.end("b1")

    asyncio.run(story())


def test_hosts_take_turns_however_many_calls_one_has() -> None:
    async def story() -> None:
        bench = Bench(1)
        names = [*(f"a{number}" for number in range(5)), "b1", "c1"]
        for name in names:
            bench.call(name)
        await moments()
        while len(bench.started) < len(names):
            await bench.end(bench.started[-1])
        await bench.end(bench.started[-1])
        assert bench.started == ["a0", "b1", "c1", "a1", "a2", "a3", "a4"]

    asyncio.run(story())


def test_who_has_no_patience_left_goes_and_holds_nothing_up() -> None:
    async def story() -> None:
        bench = Bench(1)
        bench.call("a1")
        await moments()
        bench.call("b1", patience=0)
        bench.call("c1")
        with pytest.raises(TimeoutError):
            await bench.tasks["b1"]
        await bench.end("a1")
        assert bench.started == ["a1", "c1"]
        await bench.end("c1")

    asyncio.run(story())


@pytest.mark.parametrize("when", ["waiting", "admitted"])
def test_who_is_cancelled_leaves_the_place_to_the_next(when: str) -> None:
    async def story() -> None:
        bench = Bench(1)
        bench.call("a1")
        await moments()
        bench.call("b1")
        bench.call("c1")
        await moments()
        if when == "admitted":
            # Its turn has come, and it has not noticed yet.
            bench.ends["a1"].set()
            for _ in range(20):
                if bench.lane.waiting == 1:
                    break
                await asyncio.sleep(0)
            assert bench.lane.waiting == 1
            assert bench.started == ["a1"]
        bench.tasks["b1"].cancel()
        with pytest.raises(asyncio.CancelledError):
            await bench.tasks["b1"]
        if when == "waiting":
            await bench.end("a1")
        await moments()
        assert bench.started == ["a1", "c1"]
        await bench.end("c1")
        assert (bench.lane.running, bench.lane.waiting) == (0, 0)

    asyncio.run(story())
