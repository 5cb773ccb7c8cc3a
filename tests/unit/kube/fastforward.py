"""An event loop whose time passes only while nobody has anything to do: nothing is waited for."""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

P = ParamSpec("P")


class _Idle(selectors.DefaultSelector):
    """Where a loop would sleep, its clock is moved instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready:
            return ready
        assert timeout is not None, "everybody waits for something that nobody will do"
        self.now += timeout
        return []


class FastForwardLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._idle = _Idle()
        super().__init__(self._idle)

    def time(self) -> float:
        return self._idle.now


def fast_forward(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Let pytest run a coroutine in such a loop."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=FastForwardLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run


async def settled() -> None:
    """Let all others do what can be done at this moment."""
    for _ in range(20):
        await asyncio.sleep(0)
