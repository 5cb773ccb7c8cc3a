"""Waiting for an answer for as long as this process sees time pass.

A machine that stood still for a second, as a guest whose host is busy does, finds every time limit
exceeded when it goes on, and the answers that had come meanwhile not yet read. To take that for
silence would have a node give up its VIP, and those that stood still with it do the same. So what
is counted are slices of time in which this process ran, of which a standstill takes one.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["SLICE_SECONDS", "answered"]

T = TypeVar("T")

SLICE_SECONDS = 0.1


async def answered(asking: Coroutine[Any, Any, T], *, within: float) -> T:
    """Return what a question is answered with.

    Args:
        asking: the question.
        within: the seconds after which it is given up, of those that are seen to pass.

    Raises:
        TimeoutError: it was not answered.
    """
    task = asyncio.create_task(asking)
    try:
        for _ in range(math.ceil(within / SLICE_SECONDS)):
            if (await asyncio.wait({task}, timeout=SLICE_SECONDS))[0]:
                return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    raise TimeoutError
