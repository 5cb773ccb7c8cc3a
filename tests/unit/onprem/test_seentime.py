"""How long an answer is waited for, by the time that the one who asks has seen pass."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from ingot.onprem.seentime import SLICE_SECONDS, answered

T = TypeVar("T")

STANDSTILL = 1000.0


class Standing(asyncio.SelectorEventLoop):
    """A loop whose process can stand still: when it goes on, much time has passed."""

    def __init__(self) -> None:
        self.stood = 0.0
        super().__init__()

    def time(self) -> float:
        return super().time() + self.stood


def run(asking: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=Standing) as runner:
        return runner.run(asking)


async def question(here: socket.socket) -> bytes:
    """Ask, and need a few turns of the loop to understand the answer, as HTTP does."""
    loop = asyncio.get_running_loop()
    said = await loop.sock_recv(here, 1) + await loop.sock_recv(here, 1)
    await asyncio.sleep(0)
    return said


def test_what_came_while_the_asker_stood_still_is_an_answer() -> None:
    async def asked() -> bytes:
        here, there = socket.socketpair()
        with here, there:
            here.settimeout(0)
            loop = asyncio.get_running_loop()
            assert isinstance(loop, Standing)

            def stand_still() -> None:
                there.send(b"ok")
                loop.stood = STANDSTILL

            loop.call_soon(stand_still)
            return await answered(question(here), within=5 * SLICE_SECONDS)

    assert run(asked()) == b"ok"


def test_who_does_not_answer_is_given_up_and_no_question_is_left_open() -> None:
    async def asked() -> set[str]:
        here, there = socket.socketpair()
        with here, there:
            here.settimeout(0)
            with pytest.raises(TimeoutError):
                await answered(question(here), within=2 * SLICE_SECONDS)
        return {task.get_name() for task in asyncio.all_tasks()} - {_own_name()}

    assert run(asked()) == set()


def test_what_goes_wrong_is_told_as_it_is() -> None:
    async def refused() -> None:
        raise ConnectionRefusedError

    with pytest.raises(ConnectionRefusedError):
        run(answered(refused(), within=1))


def test_who_is_told_to_stop_stops_asking() -> None:
    async def asked() -> bool:
        stopped = asyncio.Event()

        async def forever() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                stopped.set()

        asking = asyncio.create_task(answered(forever(), within=STANDSTILL))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait({asking})
        return stopped.is_set() and asking.cancelled()

    assert run(asked())


def _own_name() -> str:
    task = asyncio.current_task()
    return task.get_name() if task else ""
